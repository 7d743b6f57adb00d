// --- one dot: its name and columns, by mouse, touch and keys
const tip = $("tip");
const pictured = D.pictures || Object.keys(D.files).length > 0;
function pictureOf(i, side) {
  const p = D.pictures;
  if (D.files[i])
    return make("img", {
      src: D.files[i],
      alt: "",
      class: "photo",
      css: { height: side + "px", "max-width": 1.6 * side + "px" },
    });
  if (!p) return null;
  const small = make("canvas", {
    width: p.width,
    height: p.height,
    class: "picture",
    css: { width: side + "px", height: side + "px" },
    "aria-hidden": "true",
  });
  const data = new ImageData(p.width, p.height),
    size = p.width * p.height * p.channels;
  for (let k = 0; k < p.width * p.height; k++) {
    for (let c = 0; c < 3; c++)
      data.data[4 * k + c] = pixels[i * size + k * p.channels + (p.channels > 1 ? c : 0)];
    data.data[4 * k + 3] = 255;
  }
  small.getContext("2d").putImageData(data, 0, 0);
  return small;
}
function rowsOf(i) {
  const g = groupOf(i),
    rows = [["group", `${g.number} · ${clipped(nameOf(g), 50)}`]];
  if (sure) rows.push(["sure", (sure[i] / 254).toFixed(2)]);
  if (outlier) rows.push(["outlier score", (outlier[i] / 254).toFixed(2)]);
  const by = BY.get(state.by);
  if (by.view !== undefined) {
    const v = level().votes[by.view * M + i];
    rows.push([by.label + " says", v === NO_VOTE ? "nothing" : String(level().groups[v].number)]);
  }
  const own = D.columns.filter((c) => !c.view),
    seen = [...own.slice(0, 6)];
  if (by.column && !seen.includes(by.column)) seen.unshift(by.column);
  for (const c of seen) rows.push([c.name, short(valueOf(c, i))]);
  return rows;
}
function showTip(i, x, y) {
  const [number, ...more] = rowsOf(i);
  const list = make(
    "dl",
    {},
    ...[number, ...more].flatMap(([key, value]) => [
      make("dt", { text: clipped(key, 28), dir: "auto" }),
      make("dd", { text: clipped(String(value), 80), dir: "auto" }),
    ]),
  );
  tip.replaceChildren(
    ...[
      pictureOf(i, 56),
      make("div", {}, make("b", { text: clipped(ids[i], 120), dir: "auto" }), list),
    ].filter((e) => e),
  );
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(8, Math.min(x + 16, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(8, y + 16 + box.height > innerHeight ? y - box.height - 12 : y + 16) + "px";
}
function hideTip() {
  tip.hidden = true;
}
function hover(i, x, y) {
  if (i !== hovered) {
    hovered = i;
    redraw();
  }
  plot.classList.toggle("over", i >= 0);
  if (i >= 0) showTip(i, x, y);
  else hideTip();
}
function focusDot(i, centre = true) {
  state.focus = i;
  if (i < 0) {
    hideTip();
    redraw();
    return;
  }
  if (centre) centreOn(i);
  redraw();
  const box = canvas.getBoundingClientRect();
  const at = centre ? [view.w / 2, view.h / 2] : [sx(i), sy(i)];
  showTip(i, box.left + at[0], box.top + at[1]);
  say(
    ids[i] +
      ": " +
      rowsOf(i)
        .map(([k, v]) => `${k} ${v}`)
        .join(", "),
  );
}
// the nearest dot in a direction
function next(dx, dy) {
  if (state.focus < 0) return nearest(view.w / 2, view.h / 2, 1e6);
  const x0 = sx(state.focus),
    y0 = sy(state.focus),
    out = paint.above;
  let best = -1,
    least = Infinity;
  for (let i = 0; i < M; i++) {
    if (i === state.focus || (out && !out(i))) continue;
    const x = sx(i) - x0,
      y = sy(i) - y0,
      ahead = x * dx + y * dy,
      aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead <= 0.01 || aside > 2 * ahead) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) {
      least = cost;
      best = i;
    }
  }
  return best < 0 ? state.focus : best;
}
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
canvas.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  const move = MOVES[event.key],
    n = level().groups.length;
  if (move) {
    const i = next(...move),
      x = sx(i),
      y = sy(i);
    focusDot(i, x < 20 || y < 20 || x > view.w - 20 || y > view.h - 20);
  } else if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-") zoom(1 / 1.5);
  else if (event.key === "0") glide(home());
  else if (event.key === "g" || event.key === "G") {
    const ranks = ranked(),
      now = ranks.indexOf(state.lifted),
      step = event.key === "g" ? 1 : -1;
    lift(now < 0 ? ranks[step > 0 ? 0 : n - 1] : (ranks[now + step] ?? null));
  } else if (event.key === " ") {
    const g = state.lifted ?? (state.focus >= 0 ? level().codes[state.focus] : null);
    if (g !== null) chooseGroup(g);
  } else if (event.key === "Escape") {
    hideTip();
    setLasso(false);
    state.focus = -1;
    lift(null);
    choose(null);
  } else return;
  event.preventDefault();
});
canvas.addEventListener("blur", () => {
  hideTip();
  redraw();
});
const ranked = () =>
  level()
    .groups.map((_, i) => i)
    .sort((a, b) => level().groups[b].size - level().groups[a].size);
function lift(g) {
  if (state.lifted === g) return;
  state.lifted = g;
  changed("lifted");
  if (g !== null) {
    const own = level().groups[g];
    say(`Group ${own.number}, ${nameOf(own)}, ${short(own.size)} samples.`);
  }
}
function chooseGroup(g) {
  const { codes } = level();
  choose(Uint8Array.from(codes, (c) => c === g));
}
