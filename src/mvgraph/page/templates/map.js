// --- the map: dots drawn into an image, which needs no graphics card
const canvas = $("dots"),
  plot = $("plot"),
  context = canvas.getContext("2d", { alpha: false });
const still = matchMedia("(prefers-reduced-motion: reduce)");
const view = { scale: 1, x: 0, y: 0, w: 1, h: 1, dot: 1 };
// dots are drawn in an order without meaning, so that no group lies above another
const order = Uint32Array.from({ length: M }, (_, i) => i);
for (let i = M - 1, s = 12345; i > 0; i--) {
  s = (Math.imul(s, 1103515245) + 12345) & 0x7fffffff;
  const j = s % (i + 1);
  [order[i], order[j]] = [order[j], order[i]];
}
const paint = {
  r: new Uint8Array(M),
  g: new Uint8Array(M),
  b: new Uint8Array(M),
  a: new Uint8Array(M),
  above: null,
};
let image = null,
  waiting = false,
  lasso = null,
  hovered = -1;

const sx = (i) => xy[2 * i] * view.scale + view.x,
  sy = (i) => (65535 - xy[2 * i + 1]) * view.scale + view.y;
// the part of the plane that holds samples
const span = [65535, 0, 65535, 0];
for (let i = 0; i < M; i++) {
  span[0] = Math.min(span[0], xy[2 * i]);
  span[1] = Math.max(span[1], xy[2 * i]);
  span[2] = Math.min(span[2], 65535 - xy[2 * i + 1]);
  span[3] = Math.max(span[3], 65535 - xy[2 * i + 1]);
}
function home() {
  const pad = Math.min(48, view.w / 10),
    wide = Math.max(span[1] - span[0], 1),
    high = Math.max(span[3] - span[2], 1);
  const scale = Math.min(Math.max(view.w - 2 * pad, 10) / wide, Math.max(view.h - 2 * pad, 10) / high);
  return {
    scale,
    x: view.w / 2 - ((span[0] + span[1]) / 2) * scale,
    y: view.h / 2 - ((span[2] + span[3]) / 2) * scale,
  };
}
function radius() {
  const base = Math.min(3.7, Math.max(1.15, (100 / Math.sqrt(M)) * Math.sqrt(view.w / 700)));
  return Math.min(7, base * Math.min(2.2, Math.max(1, (view.scale / home().scale) ** 0.35)));
}
function recolour() {
  const colour = painter(),
    by = state.by,
    out = standsOut(),
    fade = by === "group" || by.startsWith("view");
  for (let i = 0; i < M; i++) {
    const c = colour(i);
    paint.r[i] = c[0];
    paint.g[i] = c[1];
    paint.b[i] = c[2];
    paint.a[i] = 255 * (out && !out(i) ? 0.1 : fade ? opacity(i) : 0.9);
  }
  paint.above = out;
  redraw();
}
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}
// how much of every pixel a dot covers, 0 to 255
function stamp(r) {
  const size = Math.ceil(r + 0.5),
    side = 2 * size + 1,
    cover = new Uint8Array(side * side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      cover[y * side + x] = 255 * Math.min(1, Math.max(0, r + 0.5 - Math.hypot(x - size, y - size)));
    }
  return { size, side, cover };
}
// a pixel that a dot covers wholly is one write; the edge and faint dots are blended
function drawDots(words, W, H, ratio, r) {
  const { size, side, cover } = stamp(r * ratio),
    { r: R, g: G, b: B, a: A, above } = paint;
  const bytes = new Uint8ClampedArray(words.buffer),
    scale = view.scale * ratio,
    dx = view.x * ratio,
    dy = view.y * ratio;
  for (let pass = above ? 0 : 1; pass < 2; pass++) {
    for (let k = 0; k < M; k++) {
      const i = order[k];
      if (above && !above(i) === (pass === 1)) continue;
      const px = Math.round(xy[2 * i] * scale + dx),
        py = Math.round((65535 - xy[2 * i + 1]) * scale + dy);
      if (px < -size || py < -size || px >= W + size || py >= H + size) continue;
      const a = A[i],
        red = R[i],
        green = G[i],
        blue = B[i],
        word = (255 << 24) | (blue << 16) | (green << 8) | red;
      const x0 = Math.max(0, px - size),
        x1 = Math.min(W - 1, px + size);
      const y0 = Math.max(0, py - size),
        y1 = Math.min(H - 1, py + size);
      for (let y = y0; y <= y1; y++) {
        let at = y * W + x0,
          c = (y - py + size) * side + x0 - px + size;
        for (let x = x0; x <= x1; x++, at++, c++) {
          const t = cover[c] * a;
          if (t >= 64000) words[at] = word;
          else if (t) {
            const b = at * 4;
            bytes[b] += ((red - bytes[b]) * t) / 65025;
            bytes[b + 1] += ((green - bytes[b + 1]) * t) / 65025;
            bytes[b + 2] += ((blue - bytes[b + 2]) * t) / 65025;
          }
        }
      }
    }
  }
}
function paintImage(W, H, ratio, r) {
  if (!image || image.width !== W || image.height !== H) image = new ImageData(W, H);
  const [gr, gg, gb] = rgb(css("--map"));
  const words = new Uint32Array(image.data.buffer).fill((255 << 24) | (gb << 16) | (gg << 8) | gr);
  drawDots(words, W, H, ratio, r);
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
  const ratio = view.dot,
    W = canvas.width,
    H = canvas.height;
  context.putImageData(paintImage(W, H, ratio, radius()), 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const ink = css("--ink");
  if (hovered >= 0 && hovered !== state.focus) ring(hovered, 1.5, ink);
  if (state.focus >= 0) {
    ring(state.focus, 5, css("--ground"));
    ring(state.focus, 2.5, ink);
  }
  if (lasso && lasso.length > 1) {
    context.beginPath();
    lasso.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
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
  const box = plot.getBoundingClientRect(),
    ratio = Math.min(2, devicePixelRatio || 1);
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
  draw(); // at once: a canvas of another size is black
}
new ResizeObserver(resize).observe(plot);
