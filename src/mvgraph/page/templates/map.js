// --- the map: dots drawn into an image, which needs no graphics card
const canvas = $("dots"), plot = $("plot"), context = canvas.getContext("2d", { alpha: false });
const still = matchMedia("(prefers-reduced-motion: reduce)");
const view = { scale: 1, x: 0, y: 0, w: 1, h: 1, dot: 1 };
// dots are drawn in an order without meaning, so that no group lies above another
const order = Uint32Array.from({ length: M }, (_, i) => i);
for (let i = M - 1, s = 12345; i > 0; i--) {
  s = (Math.imul(s, 1103515245) + 12345) & 0x7fffffff;
  const j = s % (i + 1);
  [order[i], order[j]] = [order[j], order[i]];
}
const paint = { r: new Uint8Array(M), g: new Uint8Array(M), b: new Uint8Array(M), a: new Uint8Array(M), above: null };
let image = null, waiting = false, lasso = null, hovered = -1;

const sx = (i) => xy[2 * i] * view.scale + view.x, sy = (i) => (65535 - xy[2 * i + 1]) * view.scale + view.y;
function home() {
  const pad = Math.min(42, view.w / 12), room = Math.min(view.w, view.h) - 2 * pad;
  const scale = Math.max(room, 10) / 65535;
  return { scale, x: (view.w - 65535 * scale) / 2, y: (view.h - 65535 * scale) / 2 };
}
function radius() {
  const base = Math.min(4.5, Math.max(1.1, 60 / Math.sqrt(M) * Math.sqrt(view.w / 700)));
  return Math.min(7, base * Math.min(2.2, Math.max(1, (view.scale / home().scale) ** 0.35)));
}
function recolour() {
  const colour = painter(), by = state.by, out = standsOut(), fade = by === "group" || by.startsWith("view");
  for (let i = 0; i < M; i++) {
    const c = colour(i);
    paint.r[i] = c[0]; paint.g[i] = c[1]; paint.b[i] = c[2];
    paint.a[i] = 255 * (out && !out(i) ? 0.1 : fade ? opacity(i) : 0.9);
  }
  paint.above = out;
  redraw();
}
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}
// how much of every pixel a dot covers, 0 to 255
function stamp(r) {
  const size = Math.ceil(r + 0.5), side = 2 * size + 1, cover = new Uint8Array(side * side);
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) {
    cover[y * side + x] = 255 * Math.min(1, Math.max(0, r + 0.5 - Math.hypot(x - size, y - size)));
  }
  return { size, side, cover };
}
function drawDots(buffer, W, H, ratio, r) {
  const { size, side, cover } = stamp(r * ratio), { r: R, g: G, b: B, a: A, above } = paint;
  for (let pass = above ? 0 : 1; pass < 2; pass++) {
    for (let k = 0; k < M; k++) {
      const i = order[k];
      if (above && above(i) !== (pass === 1)) continue;
      const px = Math.round(sx(i) * ratio), py = Math.round(sy(i) * ratio);
      if (px < -size || py < -size || px >= W + size || py >= H + size) continue;
      const a = A[i], red = R[i], green = G[i], blue = B[i];
      const x0 = Math.max(0, px - size), x1 = Math.min(W - 1, px + size);
      const y0 = Math.max(0, py - size), y1 = Math.min(H - 1, py + size);
      for (let y = y0; y <= y1; y++) {
        let at = (y * W + x0) * 4, c = (y - py + size) * side + x0 - px + size;
        for (let x = x0; x <= x1; x++, at += 4, c++) {
          const t = cover[c] * a;
          if (!t) continue;
          buffer[at] += (red - buffer[at]) * t / 65025;
          buffer[at + 1] += (green - buffer[at + 1]) * t / 65025;
          buffer[at + 2] += (blue - buffer[at + 2]) * t / 65025;
        }
      }
    }
  }
}
function paintImage(W, H, ratio, r) {
  if (!image || image.width !== W || image.height !== H) image = new ImageData(W, H);
  const [gr, gg, gb] = rgb(css("--map"));
  new Uint32Array(image.data.buffer).fill((255 << 24) | (gb << 16) | (gg << 8) | gr);
  drawDots(image.data, W, H, ratio, r);
  return image;
}
function ring(i, width, colour) {
  context.beginPath();
  context.arc(sx(i), sy(i), radius() + 3, 0, 7);
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}
function draw() {
  const ratio = view.dot, W = canvas.width, H = canvas.height;
  context.putImageData(paintImage(W, H, ratio, radius()), 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const ink = css("--ink");
  if (hovered >= 0 && hovered !== state.focus) ring(hovered, 1.5, ink);
  if (state.focus >= 0) { ring(state.focus, 5, css("--ground")); ring(state.focus, 2.5, ink); }
  if (lasso && lasso.length > 1) {
    context.beginPath();
    lasso.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
    context.closePath();
    context.fillStyle = dark() ? "#ffffff18" : "#00000010";
    context.fill();
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.strokeStyle = ink;
    context.stroke();
    context.setLineDash([]);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  placeLabels();
}
function resize() {
  const box = plot.getBoundingClientRect(), ratio = Math.min(2, devicePixelRatio || 1);
  if (!box.width) return;
  const before = view.w > 1 ? home() : null;
  const zoom = before ? view.scale / before.scale : 1;
  const mid = before && [(view.w / 2 - view.x) / view.scale, (view.h / 2 - view.y) / view.scale];
  Object.assign(view, { w: box.width, h: box.height, dot: ratio });
  canvas.width = Math.round(box.width * ratio);
  canvas.height = Math.round(box.height * ratio);
  const fit = home();
  if (!before || Math.abs(zoom - 1) < 1e-6) Object.assign(view, fit);
  else {
    view.scale = fit.scale * zoom;
    view.x = view.w / 2 - mid[0] * view.scale;
    view.y = view.h / 2 - mid[1] * view.scale;
  }
  redraw();
}
new ResizeObserver(resize).observe(plot);

// --- names on the map: at the densest point of a group, largest first, none over another
let anchors = [], elements = [];
function findAnchors() {
  const { codes, groups } = level(), cells = 40, step = 65536 / cells;
  const count = new Map();
  for (let i = 0; i < M; i++) {
    const key = codes[i] * cells * cells + Math.floor(xy[2 * i] / step) * cells + Math.floor(xy[2 * i + 1] / step);
    const at = count.get(key);
    if (at) { at.n++; at.x += xy[2 * i]; at.y += xy[2 * i + 1]; }
    else count.set(key, { n: 1, x: xy[2 * i], y: xy[2 * i + 1] });
  }
  const best = new Array(groups.length).fill(null);
  for (const [key, cell] of count) {
    const g = Math.floor(key / (cells * cells));
    if (!best[g] || cell.n > best[g].n) best[g] = cell;
  }
  anchors = groups.map((g, i) => best[i] && { g, i, x: best[i].x / best[i].n, y: best[i].y / best[i].n })
    .filter((a) => a).sort((a, b) => b.g.size - a.g.size);
  const box = $("labels");
  elements = anchors.map(({ g }) => make("div", { class: "label" },
    make("b", { text: g.number, css: { background: colourOf(g), color: inkOn(colourOf(g)) } }),
    make("span", { text: clipped(nameOf(g), 30), dir: "auto" })));
  box.replaceChildren(...elements);
  sizes = null;
}
let sizes = null;
function labelled() {
  if (!sizes) {
    elements.forEach((e) => { e.hidden = false; e.classList.remove("bare"); });
    sizes = elements.map((e) => [e.offsetWidth, e.offsetHeight]);
  }
  const taken = [], found = [];
  const free = (box) => box[0] >= 2 && box[1] >= 2 && box[2] <= view.w - 2 && box[3] <= view.h - 2
    && !taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]);
  const first = anchors.map((_, k) => k);
  if (state.lifted !== null) first.sort((a, b) => (anchors[b].i === state.lifted) - (anchors[a].i === state.lifted));
  for (const k of first) {
    const a = anchors[k], x = a.x * view.scale + view.x, y = (65535 - a.y) * view.scale + view.y;
    const [w, h] = sizes[k];
    if (x < 0 || y < 0 || x > view.w || y > view.h) continue;
    for (const [width, bare] of [[w, false], [26, true]]) {
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

// --- moving and choosing
function zoom(factor, x = view.w / 2, y = view.h / 2) {
  const least = home().scale * 0.7, most = home().scale * 80;
  const scale = Math.min(most, Math.max(least, view.scale * factor)), part = scale / view.scale;
  view.x = x - (x - view.x) * part;
  view.y = y - (y - view.y) * part;
  view.scale = scale;
  redraw();
}
function glide(target) {
  if (still.matches) { Object.assign(view, target); redraw(); return; }
  const from = { ...view }, start = performance.now();
  const step = (now) => {
    const t = Math.min(1, (now - start) / 350), e = 1 - (1 - t) ** 3;
    for (const key of ["scale", "x", "y"]) view[key] = from[key] + (target[key] - from[key]) * e;
    redraw();
    if (t < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
function centreOn(i) {
  const scale = Math.max(view.scale, home().scale * 3);
  glide({ scale, x: view.w / 2 - xy[2 * i] * scale, y: view.h / 2 - (65535 - xy[2 * i + 1]) * scale });
}
function nearest(x, y, reach) {
  let best = -1, least = reach * reach;
  const out = paint.above;
  for (let i = 0; i < M; i++) {
    if (out && !out(i)) continue;
    const dx = sx(i) - x, dy = sy(i) - y, d = dx * dx + dy * dy;
    if (d < least) { least = d; best = i; }
  }
  return best;
}
function inside(points) {
  const found = new Uint8Array(M);
  let n = 0;
  for (let i = 0; i < M; i++) {
    const x = sx(i), y = sy(i);
    let within = false;
    for (let a = 0, b = points.length - 1; a < points.length; b = a++) {
      const [xa, ya] = points[a], [xb, yb] = points[b];
      if ((ya > y) !== (yb > y) && x < (xb - xa) * (y - ya) / (yb - ya) + xa) within = !within;
    }
    if (within) { found[i] = 1; n++; }
  }
  return n ? found : null;
}
function choose(found) {
  state.chosen = found;
  state.lifted = null;
  changed("chosen", "lifted");
}
let lassoing = false;
const fingers = new Map();
const local = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
function setLasso(on) {
  lassoing = on;
  $("lasso").setAttribute("aria-pressed", on);
  plot.classList.toggle("lassoing", on);
}
$("lasso").addEventListener("click", () => {
  setLasso(!lassoing);
  say(lassoing ? "Draw around the samples to choose them." : "The map moves again.");
});
canvas.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, local(event));
  if (fingers.size === 1 && (lassoing || event.shiftKey)) lasso = [local(event)];
  if (fingers.size > 1) lasso = null;
  moved = 0;
});
let moved = 0;
canvas.addEventListener("pointermove", (event) => {
  const [x, y] = local(event), before = fingers.get(event.pointerId);
  if (!before) { hover(nearest(x, y, 14), event.clientX, event.clientY); return; }
  moved += Math.hypot(x - before[0], y - before[1]);
  if (lasso) lasso.push([x, y]);
  else if (fingers.size === 1 && event.pointerType !== "touch") { view.x += x - before[0]; view.y += y - before[1]; }
  else if (fingers.size === 2) {
    const [a, b] = [...fingers.values()], other = a === before ? b : a;
    const d0 = Math.hypot(before[0] - other[0], before[1] - other[1]), d1 = Math.hypot(x - other[0], y - other[1]);
    view.x += (x - before[0]) / 2;
    view.y += (y - before[1]) / 2;
    if (d0 > 5) zoom(d1 / d0, (x + other[0]) / 2, (y + other[1]) / 2);
  }
  fingers.set(event.pointerId, [x, y]);
  if (moved > 4) hideTip();
  redraw();
});
function released(event) {
  if (!fingers.delete(event.pointerId)) return;
  const [x, y] = local(event);
  if (lasso) {
    const points = lasso;
    lasso = null;
    if (points.length > 2) choose(inside(points));
    setLasso(false);
  } else if (moved < 5 && event.type === "pointerup") {
    const i = nearest(x, y, event.pointerType === "touch" ? 24 : 14);
    focusDot(i, false);
    if (i < 0 && state.chosen) choose(null);
    if (i < 0 && state.lifted !== null) lift(null);
  }
  redraw();
}
canvas.addEventListener("pointerup", released);
canvas.addEventListener("pointercancel", released);
canvas.addEventListener("pointerleave", () => { if (hovered >= 0) { hovered = -1; hideTip(); redraw(); } });
canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && document.activeElement !== canvas) return;  // the page scrolls
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...local(event));
}, { passive: false });
canvas.addEventListener("dblclick", (event) => zoom(event.shiftKey ? 0.5 : 2, ...local(event)));
$("closer").addEventListener("click", () => zoom(1.5));
$("farther").addEventListener("click", () => zoom(1 / 1.5));
$("whole").addEventListener("click", () => glide(home()));

// --- one dot: its name and columns, by mouse, touch and keys
const tip = $("tip");
function pictureOf(i, side) {
  const p = D.pictures;
  if (!p) return null;
  const small = make("canvas", { width: p.width, height: p.height, class: "picture", css: { width: side + "px", height: side + "px" }, "aria-hidden": "true" });
  const data = new ImageData(p.width, p.height), size = p.width * p.height * p.channels;
  for (let k = 0; k < p.width * p.height; k++) {
    for (let c = 0; c < 3; c++) data.data[4 * k + c] = pixels[i * size + k * p.channels + (p.channels > 1 ? c : 0)];
    data.data[4 * k + 3] = 255;
  }
  small.getContext("2d").putImageData(data, 0, 0);
  return small;
}
function rowsOf(i) {
  const g = groupOf(i), rows = [["group", `${g.number} · ${clipped(nameOf(g), 50)}`]];
  if (sure) rows.push(["sure", (sure[i] / 254).toFixed(2)]);
  if (outlier) rows.push(["outlier score", (outlier[i] / 254).toFixed(2)]);
  const by = BY.get(state.by);
  if (by.view !== undefined) {
    const v = level().votes[by.view * M + i];
    rows.push([by.label + " says", v === NO_VOTE ? "nothing" : String(level().groups[v].number)]);
  }
  const own = D.columns.filter((c) => !c.view), seen = [...own.slice(0, 6)];
  if (by.column && !seen.includes(by.column)) seen.unshift(by.column);
  for (const c of seen) rows.push([c.name, short(valueOf(c, i))]);
  return rows;
}
function showTip(i, x, y) {
  const [number, ...more] = rowsOf(i);
  const list = make("dl", {}, ...[number, ...more].flatMap(([key, value]) => [
    make("dt", { text: clipped(key, 28), dir: "auto" }), make("dd", { text: clipped(String(value), 80), dir: "auto" })]));
  tip.replaceChildren(...[pictureOf(i, 56), make("div", {}, make("b", { text: clipped(ids[i], 120), dir: "auto" }), list)].filter((e) => e));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(8, Math.min(x + 16, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(8, y + 16 + box.height > innerHeight ? y - box.height - 12 : y + 16) + "px";
}
function hideTip() { tip.hidden = true; }
function hover(i, x, y) {
  if (i !== hovered) { hovered = i; redraw(); }
  plot.classList.toggle("over", i >= 0);
  if (i >= 0) showTip(i, x, y); else hideTip();
}
function focusDot(i, centre = true) {
  state.focus = i;
  if (i < 0) { hideTip(); redraw(); return; }
  if (centre) centreOn(i);
  redraw();
  const box = canvas.getBoundingClientRect();
  const at = centre ? [view.w / 2, view.h / 2] : [sx(i), sy(i)];
  showTip(i, box.left + at[0], box.top + at[1]);
  say(ids[i] + ": " + rowsOf(i).map(([k, v]) => `${k} ${v}`).join(", "));
}
// the nearest dot in a direction
function next(dx, dy) {
  if (state.focus < 0) return nearest(view.w / 2, view.h / 2, 1e6);
  const x0 = sx(state.focus), y0 = sy(state.focus), out = paint.above;
  let best = -1, least = Infinity;
  for (let i = 0; i < M; i++) {
    if (i === state.focus || (out && !out(i))) continue;
    const x = sx(i) - x0, y = sy(i) - y0, ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead <= 0.01 || aside > 2 * ahead) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) { least = cost; best = i; }
  }
  return best < 0 ? state.focus : best;
}
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
canvas.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  const move = MOVES[event.key], n = level().groups.length;
  if (move) {
    const i = next(...move), x = sx(i), y = sy(i);
    focusDot(i, x < 20 || y < 20 || x > view.w - 20 || y > view.h - 20);
  } else if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-") zoom(1 / 1.5);
  else if (event.key === "0") glide(home());
  else if (event.key === "g" || event.key === "G") {
    const ranks = ranked(), now = ranks.indexOf(state.lifted), step = event.key === "g" ? 1 : -1;
    lift(now < 0 ? ranks[step > 0 ? 0 : n - 1] : ranks[now + step] ?? null);
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
canvas.addEventListener("blur", () => { hideTip(); redraw(); });
const ranked = () => level().groups.map((_, i) => i).sort((a, b) => level().groups[b].size - level().groups[a].size);
function lift(g) {
  if (state.lifted === g) return;
  state.lifted = g;
  changed("lifted");
  if (g !== null) { const own = level().groups[g]; say(`Group ${own.number}, ${nameOf(own)}, ${short(own.size)} samples.`); }
}
function chooseGroup(g) {
  const { codes } = level();
  choose(Uint8Array.from(codes, (c) => c === g));
}

// --- what the colours mean
function legend() {
  const by = BY.get(state.by), box = $("legend");
  if (state.by === "group") { box.replaceChildren(); return; }
  if (by.view !== undefined) {
    box.replaceChildren(make("span", { text: `the group that ${clipped(by.label, 30)} alone would give` }));
    return;
  }
  const c = by.column;
  if (c && c.kind === "category") {
    const words = c.values.slice(0, 14);
    box.replaceChildren(make("b", { text: clipped(c.name, 40), dir: "auto" }), ...words.map((word, code) => make("span", { class: "key" },
      make("i", { css: { background: wheel[code % wheel.length] } }), make("span", { text: clipped(word, 24), dir: "auto" }))),
      c.values.length > 14 ? make("span", { text: `and ${c.values.length - 14} more` }) : null);
    return;
  }
  const low = c ? (c.values ? c.values[0] : c.low) : 0, high = c ? (c.values ? c.values.at(-1) : c.high) : 1;
  const stops = [0, 0.25, 0.5, 0.75, 1].map((t) => hex(ramp(t))).join(", ");
  box.replaceChildren(make("b", { text: clipped(by.label, 40), dir: "auto" }),
    make("span", { class: "ramp" }, make("span", { text: short(low) }), make("i", { css: { background: `linear-gradient(90deg, ${stops})` } }), make("span", { text: short(high) })));
}
const select = $("colour-by");
function option(value, label) { return make("option", { value, text: clipped(label, 40) }); }
{
  const keys = [...BY.keys()];
  const sets = [["", keys.filter((k) => !k.includes("-"))],
    ["columns", keys.filter((k) => BY.get(k).column && !BY.get(k).column.view)],
    ...D.views.map((v) => [v.name, keys.filter((k) => BY.get(k).column?.view === v.name)]),
    ["what a view alone says", D.views.length > 1 ? keys.filter((k) => k.startsWith("view-")) : []]];
  for (const [label, own] of sets) {
    if (!own.length) continue;
    const options = own.map((k) => option(k, BY.get(k).label));
    if (label) select.append(make("optgroup", { label: clipped(label, 40) }, ...options)); else select.append(...options);
  }
}
select.addEventListener("change", () => { state.by = select.value; changed("by"); });

// --- find a sample by its name
const find = $("find"), list = $("found");
function search() {
  const wanted = find.value.trim().toLowerCase();
  if (!wanted) { state.matched = null; list.hidden = true; changed("matched"); return; }
  const hits = new Uint8Array(M), first = [];
  let n = 0;
  for (let i = 0; i < M; i++) {
    if (!ids[i].toLowerCase().includes(wanted)) continue;
    hits[i] = 1;
    n++;
    if (ids[i].toLowerCase() === wanted) first.unshift(i); else if (first.length < 8) first.push(i);
  }
  state.matched = n ? hits : null;
  list.replaceChildren(...first.slice(0, 8).map((i) => make("li", {}, make("button", { type: "button", "data-sample": i, onclick: () => goTo(i) },
    make("i", { css: { background: colourOf(groupOf(i)) } }), make("span", { text: clipped(ids[i], 60), dir: "auto" }), make("small", { text: groupOf(i).number })))),
    make("li", { class: "count", text: n ? `${short(n)} found` : `no sample is called so${D.n > M ? "; only drawn samples are here" : ""}` }));
  list.hidden = false;
  say(`${n} samples found`);
  changed("matched");
}
function goTo(i) {
  list.hidden = true;
  state.matched = null;
  state.lifted = null;
  changed("matched", "lifted");
  canvas.scrollIntoView({ block: "nearest" });
  focusDot(i);
}
find.addEventListener("input", search);
find.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { find.value = ""; search(); }
  if (event.key === "Enter") list.querySelector("button")?.click();
  if (event.key === "ArrowDown") { list.querySelector("button")?.focus(); event.preventDefault(); }
});
list.addEventListener("keydown", (event) => {
  const buttons = [...list.querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
  if (event.key === "ArrowDown") buttons[at + 1]?.focus();
  else if (event.key === "ArrowUp") (buttons[at - 1] ?? find).focus();
  else if (event.key === "Escape") find.focus();
  else return;
  event.preventDefault();
});
document.addEventListener("pointerdown", (event) => { if (!event.target.closest(".find")) list.hidden = true; });

watchers.push((what) => {
  if (what.has("level") || what.has("names")) findAnchors();
  if (what.has("level") || what.has("by") || what.has("theme")) legend();
  recolour();
});
