// --- every figure as SVG or PNG, in the colours that are on the screen
const FIGURES = {}; // name: () => {width, height, body}, body of SVG elements as text
const escaped = (text) =>
  String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff]/gu, "")
    .replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const rect = (x, y, w, h, fill, more = "") =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(w, 0).toFixed(1)}" height="${h.toFixed(1)}" fill="${fill}" ${more}/>`;
const letters = (x, y, text, more = "") =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(text)}</text>`;
const path = (d, more) => `<path d="${d}" ${more}/>`;
function svgOf(name) {
  const { width, height, body } = FIGURES[name]();
  const style = `font-family="system-ui, -apple-system, Segoe UI, Roboto, sans-serif" font-size="12" fill="${css("--ink")}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${style}>` +
    rect(0, 0, width, height, css("--ground")) +
    body +
    "</svg>"
  );
}
async function saveFigure(name, as) {
  const text = svgOf(name),
    file = `clusters-${name}.${as}`;
  if (as === "svg") {
    save(file, text, "image/svg+xml");
    return;
  }
  const picture = new Image();
  picture.src = "data:image/svg+xml;base64," + btoa(bytesOf(text));
  await picture.decode();
  const target = make("canvas", { width: picture.width * 2, height: picture.height * 2 });
  target.getContext("2d").drawImage(picture, 0, 0, target.width, target.height);
  target.toBlob((blob) => save(file, blob), "image/png");
}
function bytesOf(text) {
  const bytes = new TextEncoder().encode(text),
    parts = [];
  for (let i = 0; i < bytes.length; i += 8192)
    parts.push(String.fromCharCode(...bytes.subarray(i, i + 8192)));
  return parts.join("");
}
const saveButtons = (name) =>
  make(
    "span",
    { class: "buttons", role: "group", "aria-label": "Save the figure" },
    ...["png", "svg"].map((as) =>
      make("button", {
        type: "button",
        class: "quiet",
        "data-figure": name,
        "data-as": as,
        text: as.toUpperCase(),
      }),
    ),
  );
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-figure]");
  if (button) saveFigure(button.dataset.figure, button.dataset.as);
});
// marks up to this number are separate in the SVG; more are one picture
const MOST_MARKS = 6000;
FIGURES.map = () => {
  const { w, h } = view,
    r = radius(),
    parts = [];
  if (M <= MOST_MARKS) {
    parts.push(rect(0, 0, w, h, css("--map")));
    for (let k = 0; k < M; k++) {
      const i = order[k],
        x = sx(i),
        y = sy(i);
      if (x < -r || y < -r || x > w + r || y > h + r) continue;
      parts.push(
        `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r.toFixed(2)}" fill="${hex([paint.r[i], paint.g[i], paint.b[i]])}" fill-opacity="${(paint.a[i] / 255).toFixed(2)}"/>`,
      );
    }
  } else {
    const held = make("canvas", { width: Math.round(w * 2), height: Math.round(h * 2) });
    held.getContext("2d").putImageData(paintImage(held.width, held.height, 2, r), 0, 0);
    parts.push(`<image width="${w}" height="${h}" href="${held.toDataURL()}"/>`);
  }
  for (const { k, left, top, bare, a } of labelled()) {
    const height = elements[k].offsetHeight || 22,
      colour = colourOf(a.g),
      mid = top + height / 2 + 4;
    parts.push(
      rect(left + 3, top + 2, 22, height - 4, colour, 'rx="4"'),
      letters(left + 14, mid, a.g.number, `fill="${inkOn(colour)}" font-weight="700" text-anchor="middle"`),
    );
    if (!bare)
      parts.push(
        letters(
          left + 30,
          mid,
          clipped(nameOf(a.g), 30),
          `stroke="${css("--map")}" stroke-width="3" paint-order="stroke" font-weight="600"`,
        ),
      );
  }
  return { width: Math.round(w), height: Math.round(h), body: parts.join("") };
};
// a figure within the page; it is made of our own text and numbers, escaped in one place
function drawn(name, label) {
  const parsed = new DOMParser().parseFromString(svgOf(name), "image/svg+xml").documentElement;
  parsed.firstElementChild?.remove(); // the ground
  parsed.setAttribute("role", "img");
  parsed.setAttribute("aria-label", label);
  return make("figure", {}, document.importNode(parsed, true));
}
// parts below the fold are drawn when they are opened, and again when something changes
function whenOpen(id, show, ...what) {
  const part = $(id);
  let stale = true;
  const open = () => {
    if (part.open && stale) {
      stale = false;
      show();
    }
  };
  part.addEventListener("toggle", open);
  watchers.push((now) => {
    if (what.some((w) => now.has(w))) {
      stale = true;
      open();
    }
  });
}
