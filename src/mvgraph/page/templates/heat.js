// --- groups and features: one row a group, one column a feature
const heat = { features: D.columns.map((c, j) => ({ c, j })).filter(({ c }) => c.view), all: false, at: null };
const STRONG = 3, ROWS_FIRST = 40;  // standard deviations of the full colour
const cellColour = (d) => hex(diverging(Math.max(-1, Math.min(1, d / STRONG))));
// features of a view beside each other, those of the same group together
function heatOrder() {
  const { heat: values } = level(), rank = new Map(ranked().map((g, r) => [g, r]));
  const top = heat.features.map((_, f) => {
    let best = 0;
    values.forEach((row, g) => { if (Math.abs(row[f]) > Math.abs(values[best][f])) best = g; });
    return rank.get(best);
  });
  const place = new Map(D.views.map((v, i) => [v.name, i]));
  return heat.features.map((_, f) => f).sort((a, b) =>
    place.get(heat.features[a].c.view) - place.get(heat.features[b].c.view) || top[a] - top[b] || a - b);
}
function heatCell(g, f, first) {
  const d = level().heat[g][f], own = level().groups[g], { c } = heat.features[f], fill = cellColour(d);
  return make("td", { class: "cell", tabindex: first ? 0 : -1, "data-group": g, "data-feature": f, css: { background: fill, color: inkOn(fill) },
    title: `${clipped(c.name, 60)} in ${own.number} ${clipped(nameOf(own), 40)}: ${d >= 0 ? "higher" : "lower"} by ${Math.abs(d).toFixed(2)} standard deviations`,
    "aria-label": `${c.name}: ${signed(d)}`, text: Math.abs(d) >= 0.95 ? signed(d) : "" });
}
function showHeat() {
  const body = $("heat-body"), { groups, heat: values } = level();
  if (!heat.features.length || groups.length < 2 || !values.length) {
    body.replaceChildren(make("p", { class: "hint", text: groups.length < 2 ? "There is one group: nothing to compare." : "No feature differs between the groups." }));
    return;
  }
  const columns = heatOrder(), rows = heat.all ? ranked() : ranked().slice(0, ROWS_FIRST);
  const spans = [];
  for (const f of columns) {
    const v = heat.features[f].c.view;
    if (spans.at(-1)?.v === v) spans.at(-1).n++; else spans.push({ v, n: 1 });
  }
  const longest = Math.min(24, Math.max(...columns.map((f) => heat.features[f].c.name.length)));
  const grid = make("table", { class: "heat", css: { "--tall": longest * 0.375 + 1.4 + "rem" }, role: "grid", "aria-label": "Difference of features in groups, in standard deviations" },
    make("thead", {}, make("tr", { class: "views" }, make("td"), ...spans.map(({ v, n }) => make("th", { colspan: n, scope: "colgroup", dir: "auto", title: v, text: n > 1 ? clipped(v, 5 * n) : "" }))),
      make("tr", {}, make("td"), ...columns.map((f) => make("th", { scope: "col", title: heat.features[f].c.name }, make("span", { text: clipped(heat.features[f].c.name, 24) }))))),
    make("tbody", {}, ...rows.map((g, r) => make("tr", {}, make("th", { scope: "row", title: nameOf(groups[g]) }, chip(groups[g]), make("span", { text: " " + clipped(nameOf(groups[g]), 28), dir: "auto" })),
      ...columns.map((f, k) => heatCell(g, f, r === 0 && k === 0))))));
  grid.addEventListener("click", (event) => { const td = event.target.closest(".cell"); if (td) openCell(td); });
  grid.addEventListener("keydown", (event) => walkCells(event, grid));
  if (!heat.at || !heat.features[heat.at]) heat.at = columns[0];
  body.replaceChildren(
    make("div", { class: "tools" }, make("p", { class: "hint", text: "Red is higher than in all other groups, blue lower, in standard deviations. Open a cell to see how the feature is distributed." }), saveButtons("heat")),
    make("div", { class: "scroll heat-scroll" }, grid),
    rows.length < groups.length ? make("button", { type: "button", class: "more", text: `Show ${groups.length - rows.length} smaller groups`, onclick: () => { heat.all = true; showHeat(); } }) : "",
    make("div", { id: "spread", class: "spread" }));
  showSpread(heat.at);
}
function openCell(td) {
  for (const other of td.closest("table").querySelectorAll(".cell[tabindex='0']")) other.tabIndex = -1;
  td.tabIndex = 0;
  td.focus();
  heat.at = Number(td.dataset.feature);
  showSpread(heat.at, Number(td.dataset.group));
  say(`${heat.features[heat.at].c.name}: distribution shown below the table`);
}
function walkCells(event, grid) {
  const td = event.target.closest(".cell"), move = MOVES[event.key];
  if (!td) return;
  if (event.key === "Enter" || event.key === " ") openCell(td);
  else if (move) {
    const row = grid.tBodies[0].rows[td.parentNode.sectionRowIndex + move[1]], to = row?.cells[td.cellIndex + move[0]];
    if (to?.classList.contains("cell")) { td.tabIndex = -1; to.tabIndex = 0; to.focus(); }
  } else return;
  event.preventDefault();
}

// --- how a feature is distributed in every group
const BINS = 36;
function spreadOf(c) {
  const { codes, groups } = level();
  const few = c.values && c.values.length <= BINS, n = few ? c.values.length : BINS;
  const low = c.values ? c.values[0] : c.low, high = c.values ? c.values.at(-1) : c.high;
  const counts = groups.map(() => new Float64Array(n)), total = new Float64Array(groups.length), sum = new Float64Array(groups.length);
  for (let i = 0; i < M; i++) {
    const x = valueOf(c, i);
    if (x === null) continue;
    const bin = few ? c.codes[i] : Math.min(n - 1, Math.floor((x - low) / (high - low || 1) * n));
    counts[codes[i]][bin]++;
    total[codes[i]]++;
    sum[codes[i]] += x;
  }
  counts.forEach((row, g) => { for (let b = 0; b < n; b++) row[b] /= total[g] || 1; });
  return { n, low, high, few, counts, total, mean: Array.from(sum, (s, g) => total[g] ? s / total[g] : null) };
}
function spreadFigure(f, width) {
  const c = asWritten(heat.features[f].c), { groups } = level(), s = spreadOf(c), rows = ranked().slice(0, 30);
  const left = Math.min(210, width * 0.38), right = 70, step = 30, wide = width - left - right, most = Math.max(...rows.flatMap((g) => [...s.counts[g]])), parts = [];
  const x = (b) => left + b / s.n * wide;
  rows.forEach((g, r) => {
    const base = 30 + (r + 1) * step, tall = (v) => Math.sqrt(v / most) * (step - 4), colour = colourOf(groups[g]);
    parts.push(rect(2, base - 19, 22, 18, colour, 'rx="4"'), letters(13, base - 6, groups[g].number, `fill="${inkOn(colour)}" font-weight="700" font-size="11" text-anchor="middle"`),
      letters(30, base - 6, clipped(nameOf(groups[g]), Math.floor((left - 40) / 7)), ""));
    let d = `M${x(0)} ${base}`;
    for (let b = 0; b < s.n; b++) d += `L${x(b).toFixed(1)} ${(base - tall(s.counts[g][b])).toFixed(1)}L${x(b + 1).toFixed(1)} ${(base - tall(s.counts[g][b])).toFixed(1)}`;
    parts.push(path(d + `L${x(s.n)} ${base}Z`, `fill="${colour}" fill-opacity="0.85"`), path(`M${left} ${base}H${left + wide}`, `stroke="${css("--rule")}" fill="none"`));
    const half = s.few ? wide / s.n / 2 : 0, at = left + half + (s.mean[g] - s.low) / (s.high - s.low || 1) * (wide - 2 * half);
    if (s.mean[g] !== null) parts.push(path(`M${at.toFixed(1)} ${base}v${-step + 6}`, `stroke="${css("--ink")}" stroke-width="1.5" fill="none"`));
    parts.push(letters(left + wide + 8, base - 6, s.mean[g] === null ? "–" : short(s.mean[g]), `fill="${css("--soft")}"`));
  });
  const end = 30 + rows.length * step;
  parts.push(letters(left, end + 16, short(s.low), `fill="${css("--soft")}" font-size="11"`), letters(left + wide, end + 16, short(s.high), `fill="${css("--soft")}" font-size="11" text-anchor="end"`),
    letters(left + wide + 8, 24, "mean", `fill="${css("--soft")}" font-size="11"`), letters(2, 14, `${clipped(c.name, 60)} · ${clipped(heat.features[f].c.view, 30)}`, 'font-weight="600" font-size="13"'));
  return { width: Math.round(width), height: end + 24, body: parts.join("") };
}
function showSpread(f, g) {
  const box = $("spread");
  if (!box) return;
  const width = Math.min(1180, Math.max(320, box.clientWidth || $("heat-body").clientWidth));
  FIGURES.distribution = () => spreadFigure(f, width);
  const { c } = heat.features[f], own = g === undefined ? null : level().groups[g];
  box.replaceChildren(make("div", { class: "tools" }, make("h3", { text: clipped(c.name, 60), dir: "auto" }),
    own ? make("span", { class: "hint" }, chip(own), make("span", { text: ` ${d2words(f, g)}` })) : "",
    make("button", { type: "button", text: "Colour the map", onclick: () => colourBy("column-" + heat.features[f].j) }), saveButtons("distribution")),
    drawn("distribution", `Distribution of ${c.name} in every group`));
}
const d2words = (f, g) => { const d = level().heat[g][f]; return `${Math.abs(d).toFixed(1)} standard deviations ${d < 0 ? "lower" : "higher"} than in the others`; };
function colourBy(key) {
  state.by = key;
  select.value = key;
  changed("by");
  canvas.scrollIntoView({ block: "center" });
}
FIGURES.heat = () => {
  const { groups, heat: values } = level(), columns = heatOrder(), rows = ranked().slice(0, 60), left = 230, top = 150, side = 26, parts = [];
  columns.forEach((f, k) => parts.push(`<g transform="translate(${left + k * side + 17} ${top - 6}) rotate(-60)">${letters(0, 0, clipped(heat.features[f].c.name, 22), 'font-size="11"')}</g>`));
  rows.forEach((g, r) => {
    const y = top + r * side, colour = colourOf(groups[g]);
    parts.push(rect(4, y + 4, 24, side - 8, colour, 'rx="4"'), letters(16, y + 17, groups[g].number, `fill="${inkOn(colour)}" font-weight="700" font-size="11" text-anchor="middle"`), letters(34, y + 17, clipped(nameOf(groups[g]), 26)));
    columns.forEach((f, k) => {
      const d = values[g][f], fill = cellColour(d);
      parts.push(rect(left + k * side, y, side - 1, side - 1, fill));
      if (Math.abs(d) >= 0.95) parts.push(letters(left + k * side + 12.5, y + 16, signed(d), `fill="${inkOn(fill)}" font-size="9.5" text-anchor="middle"`));
    });
  });
  return { width: left + columns.length * side + 90, height: top + rows.length * side + 10, body: parts.join("") };
};
whenOpen("heat", showHeat, "level", "names", "theme");
