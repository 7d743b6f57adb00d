// --- what a group is: features in words and bars
// words before numbers: what is higher or lower, by how much
const wordOf = (f) =>
  (f.name.endsWith(": time") ? ["earlier", "later"] : ["lower", "higher"])[+(f.difference > 0)];
function inWords(f, g) {
  const word = wordOf(f),
    own = written.get(f.name),
    place = level().groups.indexOf(g);
  let { inside, outside } = f;
  if (own && place >= 0) [inside, outside] = meansOf(own, place);
  const rare = f.shareInside < 0.95 || f.shareOutside < 0.95,
    yes = f.name.includes("=") && !own;
  const share = rare ? `${percent(f.shareInside)} of them, ${percent(f.shareOutside)} of the others` : "";
  const mean = yes
    ? share
    : `mean ${short(inside)} here, ${short(outside)} elsewhere` +
      (share && !own ? `; above zero in ${share}` : "");
  return `${yes ? (f.difference > 0 ? "more" : "fewer") + " with" : word} ${f.name}: ${mean} (${signed(f.difference)} standard deviations)`;
}
function meansOf(c, place) {
  const { codes } = level(),
    sum = [0, 0],
    n = [0, 0];
  for (let i = 0; i < M; i++) {
    const x = valueOf(c, i),
      side = codes[i] === place ? 0 : 1;
    if (x !== null) {
      sum[side] += x;
      n[side]++;
    }
  }
  return sum.map((s, side) => (n[side] ? s / n[side] : null));
}
function featureRow(f, most, g) {
  const part = Math.min(1, Math.abs(f.difference) / most) * 50;
  const bar = make(
    "span",
    { class: "bar-of", "aria-hidden": "true" },
    make("i", {
      css: {
        left: f.difference < 0 ? 50 - part + "%" : "50%",
        width: part + "%",
        background: hex(diverging(f.difference > 0 ? 0.8 : -0.8)),
      },
    }),
  );
  return make(
    "li",
    { title: inWords(f, g) },
    make(
      "span",
      { class: "what" },
      make("span", { class: "unseen", text: wordOf(f) }),
      make("span", { text: clipped(f.name, 44), dir: "auto" }),
    ),
    bar,
    make("span", { class: "number", text: signed(f.difference) }),
  );
}
// a smaller difference is not worth a line, if there are others
const SMALL = 0.3,
  LINES = 12;
function evidence(g) {
  const views = [...new Set(g.features.map((f) => f.view))],
    parts = [];
  const most = Math.max(2, ...g.features.map((f) => Math.abs(f.difference))),
    each = Math.max(1, Math.min(3, Math.floor(LINES / views.length)));
  const least = g.features.some((f) => Math.abs(f.difference) >= SMALL) ? SMALL : 0.1;
  for (const v of views) {
    const words = g.words.filter(([view]) => view === v).map(([, word]) => word);
    const rows = g.features.filter((f) => f.view === v && Math.abs(f.difference) >= least).slice(0, each);
    if (!rows.length && !words.length) continue;
    parts.push(make("h3", { class: "sub", text: clipped(v, 40), dir: "auto" }));
    if (words.length)
      parts.push(make("p", { class: "words", dir: "auto", text: words.slice(0, 8).join(" · ") }));
    else parts.push(make("ul", { class: "features" }, ...rows.map((f) => featureRow(f, most, g))));
  }
  if (!parts.length)
    parts.push(
      make("p", {
        class: "hint",
        text:
          level().k === 1
            ? "There is no other group to compare with."
            : "No feature differs by a tenth of its standard deviation.",
      }),
    );
  return parts;
}
