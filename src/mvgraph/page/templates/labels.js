// --- names on the map: at the densest point of a group, largest first, none over another
let anchors = [],
  elements = [];
function findAnchors() {
  const { codes, groups } = level(),
    cells = 40,
    step = 65536 / cells;
  const count = new Map();
  for (let i = 0; i < M; i++) {
    const key =
      codes[i] * cells * cells + Math.floor(xy[2 * i] / step) * cells + Math.floor(xy[2 * i + 1] / step);
    const at = count.get(key);
    if (at) {
      at.n++;
      at.x += xy[2 * i];
      at.y += xy[2 * i + 1];
    } else count.set(key, { n: 1, x: xy[2 * i], y: xy[2 * i + 1] });
  }
  const best = new Array(groups.length).fill(null);
  for (const [key, cell] of count) {
    const g = Math.floor(key / (cells * cells));
    if (!best[g] || cell.n > best[g].n) best[g] = cell;
  }
  anchors = groups
    .map((g, i) => best[i] && { g, i, x: best[i].x / best[i].n, y: best[i].y / best[i].n })
    .filter((a) => a)
    .sort((a, b) => b.g.size - a.g.size);
  const box = $("labels");
  elements = anchors.map(({ g }) =>
    make(
      "div",
      { class: "label" },
      make("b", { text: g.number, css: { background: colourOf(g), color: inkOn(colourOf(g)) } }),
      make("span", { text: clipped(nameOf(g), 30), dir: "auto" }),
    ),
  );
  box.replaceChildren(...elements);
  sizes = null;
}
let sizes = null;
function labelled() {
  if (!sizes) {
    elements.forEach((e) => {
      e.hidden = false;
      e.classList.remove("bare");
    });
    sizes = elements.map((e) => [e.offsetWidth, e.offsetHeight]);
  }
  const taken = [],
    found = [];
  const free = (box) =>
    box[0] >= 2 &&
    box[1] >= 2 &&
    box[2] <= view.w - 2 &&
    box[3] <= view.h - 2 &&
    !taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]);
  const first = anchors.map((_, k) => k);
  if (state.lifted !== null)
    first.sort((a, b) => (anchors[b].i === state.lifted) - (anchors[a].i === state.lifted));
  for (const k of first) {
    const a = anchors[k],
      x = a.x * view.scale + view.x,
      y = (65535 - a.y) * view.scale + view.y;
    const [w, h] = sizes[k];
    if (x < 0 || y < 0 || x > view.w || y > view.h) continue;
    for (const [width, bare] of [
      [w, false],
      [26, true],
    ]) {
      const left = Math.min(Math.max(x - width / 2, 3), view.w - width - 3);
      const top = Math.min(Math.max(y - h / 2, 3), view.h - h - 3);
      const box = [left, top, left + width, top + h];
      if (!free(box)) continue;
      taken.push(box.map((v, j) => v + (j < 2 ? -2 : 2)));
      found.push({ k, left, top, bare, a });
      break;
    }
  }
  return found;
}
function placeLabels() {
  const found = new Map(labelled().map((f) => [f.k, f]));
  const quiet = state.by !== "group" && !state.by.startsWith("view");
  elements.forEach((e, k) => {
    const f = found.get(k);
    e.hidden = !f;
    if (!f) return;
    e.classList.toggle("bare", f.bare);
    e.classList.toggle("faded", state.lifted !== null && anchors[k].i !== state.lifted);
    e.classList.toggle("plain", quiet);
    e.style.transform = `translate(${f.left}px, ${f.top}px)`;
  });
}
