// --- how a feature is distributed in every group
const BINS = 36;
function spreadOf(c) {
  const { codes, groups } = level();
  const few = c.values && c.values.length <= BINS,
    n = few ? c.values.length : BINS;
  const low = c.values ? c.values[0] : c.low,
    high = c.values ? c.values.at(-1) : c.high;
  const counts = groups.map(() => new Float64Array(n)),
    total = new Float64Array(groups.length),
    sum = new Float64Array(groups.length);
  for (let i = 0; i < M; i++) {
    const x = valueOf(c, i);
    if (x === null) continue;
    const bin = few ? c.codes[i] : Math.min(n - 1, Math.floor(((x - low) / (high - low || 1)) * n));
    counts[codes[i]][bin]++;
    total[codes[i]]++;
    sum[codes[i]] += x;
  }
  counts.forEach((row, g) => {
    for (let b = 0; b < n; b++) row[b] /= total[g] || 1;
  });
  return {
    n,
    low,
    high,
    few,
    counts,
    total,
    mean: Array.from(sum, (s, g) => (total[g] ? s / total[g] : null)),
  };
}
function spreadFigure(f, width) {
  const c = asWritten(heat.features[f].c),
    { groups } = level(),
    s = spreadOf(c),
    rows = ranked().slice(0, 30);
  const left = Math.min(210, width * 0.38),
    right = 70,
    step = 30,
    wide = width - left - right,
    most = Math.max(...rows.flatMap((g) => [...s.counts[g]])),
    parts = [];
  const x = (b) => left + (b / s.n) * wide;
  rows.forEach((g, r) => {
    const base = 30 + (r + 1) * step,
      tall = (v) => Math.sqrt(v / most) * (step - 4),
      colour = colourOf(groups[g]);
    parts.push(
      rect(2, base - 19, 22, 18, colour, 'rx="4"'),
      letters(
        13,
        base - 6,
        groups[g].number,
        `fill="${inkOn(colour)}" font-weight="700" font-size="11" text-anchor="middle"`,
      ),
      letters(30, base - 6, clipped(nameOf(groups[g]), Math.floor((left - 40) / 7)), ""),
    );
    let d = `M${x(0)} ${base}`;
    for (let b = 0; b < s.n; b++)
      d += `L${x(b).toFixed(1)} ${(base - tall(s.counts[g][b])).toFixed(1)}L${x(b + 1).toFixed(1)} ${(base - tall(s.counts[g][b])).toFixed(1)}`;
    parts.push(
      path(d + `L${x(s.n)} ${base}Z`, `fill="${colour}" fill-opacity="0.85"`),
      path(`M${left} ${base}H${left + wide}`, `stroke="${css("--rule")}" fill="none"`),
    );
    const half = s.few ? wide / s.n / 2 : 0,
      at = left + half + ((s.mean[g] - s.low) / (s.high - s.low || 1)) * (wide - 2 * half);
    if (s.mean[g] !== null)
      parts.push(
        path(
          `M${at.toFixed(1)} ${base}v${-step + 6}`,
          `stroke="${css("--ink")}" stroke-width="1.5" fill="none"`,
        ),
      );
    parts.push(
      letters(
        left + wide + 8,
        base - 6,
        s.mean[g] === null ? "–" : short(s.mean[g]),
        `fill="${css("--soft")}"`,
      ),
    );
  });
  const end = 30 + rows.length * step;
  parts.push(
    letters(left, end + 16, short(s.low), `fill="${css("--soft")}" font-size="11"`),
    letters(left + wide, end + 16, short(s.high), `fill="${css("--soft")}" font-size="11" text-anchor="end"`),
    letters(left + wide + 8, 24, "mean", `fill="${css("--soft")}" font-size="11"`),
    letters(
      2,
      14,
      `${clipped(c.name, 60)} · ${clipped(heat.features[f].c.view, 30)}`,
      'font-weight="600" font-size="13"',
    ),
  );
  return { width: Math.round(width), height: end + 24, body: parts.join("") };
}
function showSpread(f, g) {
  const box = $("spread");
  if (!box) return;
  const width = Math.min(1180, Math.max(320, box.clientWidth || $("heat-body").clientWidth));
  FIGURES.distribution = () => spreadFigure(f, width);
  const { c } = heat.features[f],
    own = g === undefined ? null : level().groups[g];
  box.replaceChildren(
    make(
      "div",
      { class: "tools" },
      make("h3", { text: clipped(c.name, 60), dir: "auto" }),
      own ? make("span", { class: "hint" }, chip(own), make("span", { text: ` ${d2words(f, g)}` })) : "",
      make("button", {
        type: "button",
        text: "Colour the map",
        onclick: () => colourBy("column-" + heat.features[f].j),
      }),
      saveButtons("distribution"),
    ),
    drawn("distribution", `Distribution of ${c.name} in every group`),
  );
}
const d2words = (f, g) => {
  const d = level().heat[g][f];
  return `${Math.abs(d).toFixed(1)} standard deviations ${d < 0 ? "lower" : "higher"} than in the others`;
};
function colourBy(key) {
  state.by = key;
  select.value = key;
  changed("by");
  canvas.scrollIntoView({ block: "center" });
}
