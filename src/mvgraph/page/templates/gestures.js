// --- moving and choosing
function zoom(factor, x = view.w / 2, y = view.h / 2) {
  const least = home().scale * 0.7,
    most = home().scale * 80;
  const scale = Math.min(most, Math.max(least, view.scale * factor)),
    part = scale / view.scale;
  view.x = x - (x - view.x) * part;
  view.y = y - (y - view.y) * part;
  view.scale = scale;
  redraw();
}
function glide(target) {
  if (still.matches) {
    Object.assign(view, target);
    redraw();
    return;
  }
  const from = { ...view },
    start = performance.now();
  const step = (now) => {
    const t = Math.min(1, (now - start) / 350),
      e = 1 - (1 - t) ** 3;
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
  let best = -1,
    least = reach * reach;
  const out = paint.above;
  for (let i = 0; i < M; i++) {
    if (out && !out(i)) continue;
    const dx = sx(i) - x,
      dy = sy(i) - y,
      d = dx * dx + dy * dy;
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}
function inside(points) {
  const found = new Uint8Array(M);
  let n = 0;
  for (let i = 0; i < M; i++) {
    const x = sx(i),
      y = sy(i);
    let within = false;
    for (let a = 0, b = points.length - 1; a < points.length; b = a++) {
      const [xa, ya] = points[a],
        [xb, yb] = points[b];
      if (ya > y !== yb > y && x < ((xb - xa) * (y - ya)) / (yb - ya) + xa) within = !within;
    }
    if (within) {
      found[i] = 1;
      n++;
    }
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
const local = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
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
  const [x, y] = local(event),
    before = fingers.get(event.pointerId);
  if (!before) {
    hover(nearest(x, y, 14), event.clientX, event.clientY);
    return;
  }
  moved += Math.hypot(x - before[0], y - before[1]);
  if (lasso) lasso.push([x, y]);
  else if (fingers.size === 1 && event.pointerType !== "touch") {
    view.x += x - before[0];
    view.y += y - before[1];
  } else if (fingers.size === 2) {
    const [a, b] = [...fingers.values()],
      other = a === before ? b : a;
    const d0 = Math.hypot(before[0] - other[0], before[1] - other[1]),
      d1 = Math.hypot(x - other[0], y - other[1]);
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
canvas.addEventListener("pointerleave", () => {
  if (hovered >= 0) {
    hovered = -1;
    hideTip();
    redraw();
  }
});
canvas.addEventListener(
  "wheel",
  (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return; // the page scrolls
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...local(event));
  },
  { passive: false },
);
canvas.addEventListener("dblclick", (event) => zoom(event.shiftKey ? 0.5 : 2, ...local(event)));
$("closer").addEventListener("click", () => zoom(1.5));
$("farther").addEventListener("click", () => zoom(1 / 1.5));
$("whole").addEventListener("click", () => glide(home()));
