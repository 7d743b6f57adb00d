// --- groups and features: one row a group, one column a feature
const heat = {
  features: D.columns.map((c, j) => ({ c, j })).filter(({ c }) => c.view),
  all: false, // every group
  wide: false, // every feature, also beyond the edge
  at: null,
};
const STRONG = 3, // standard deviations of the full colour
  ROWS_FIRST = 40;
const cellColour = (d) => hex(diverging(Math.max(-1, Math.min(1, d / STRONG))));
// the group that a feature tells apart most, as a rank, and by how much
function heatTops() {
  const { heat: values } = level(),
    rank = new Map(ranked().map((g, r) => [g, r]));
  return heat.features.map((_, f) => {
    let best = 0;
    values.forEach((row, g) => {
      if (Math.abs(row[f]) > Math.abs(values[best][f])) best = g;
    });
    return { rank: rank.get(best), by: Math.abs(values[best][f]) };
  });
}
// the strongest feature of every group, then the second ones, as many as there is room for
function heatShown() {
  const tops = heatTops(),
    order = heatOrder(tops);
  if (heat.wide) return order;
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize),
    room = Math.max(12, Math.floor(($("heat-body").clientWidth / root - 18) / 1.85)),
    turns = new Map(),
    turn = new Map();
  for (const f of [...order].sort((a, b) => tops[b].by - tops[a].by)) {
    turn.set(f, turns.get(tops[f].rank) ?? 0);
    turns.set(tops[f].rank, turn.get(f) + 1);
  }
  const first = new Set([...turn.keys()].sort((a, b) => turn.get(a) - turn.get(b)).slice(0, room));
  return order.filter((f) => first.has(f));
}
// features of a view beside each other, those of the same group together
function heatOrder(tops) {
  const place = new Map(D.views.map((v, i) => [v.name, i]));
  return heat.features
    .map((_, f) => f)
    .sort(
      (a, b) =>
        place.get(heat.features[a].c.view) - place.get(heat.features[b].c.view) || tops[a].rank - tops[b].rank || a - b,
    );
}
function heatCell(g, f, first) {
  const d = level().heat[g][f],
    own = level().groups[g],
    { c } = heat.features[f],
    fill = cellColour(d);
  return make("td", {
    class: "cell",
    tabindex: first ? 0 : -1,
    "data-group": g,
    "data-feature": f,
    css: { background: fill, color: inkOn(fill) },
    title: `${clipped(c.name, 60)} in ${own.number} ${clipped(nameOf(own), 40)}: ${d >= 0 ? "higher" : "lower"} by ${Math.abs(d).toFixed(2)} standard deviations`,
    "aria-label": `${c.name}: ${signed(d)}`,
    text: Math.abs(d) >= 0.95 ? signed(d) : "",
  });
}
function showHeat() {
  const body = $("heat-body"),
    { groups, heat: values } = level();
  if (!heat.features.length || groups.length < 2 || !values.length) {
    body.replaceChildren(
      make("p", {
        class: "hint",
        text:
          groups.length < 2
            ? "There is one group: nothing to compare."
            : "No feature differs between the groups.",
      }),
    );
    return;
  }
  const columns = heatShown(),
    rows = heat.all ? ranked() : ranked().slice(0, ROWS_FIRST);
  const spans = [];
  for (const f of columns) {
    const v = heat.features[f].c.view;
    if (spans.at(-1)?.v === v) spans.at(-1).n++;
    else spans.push({ v, n: 1 });
  }
  const longest = Math.min(24, Math.max(...columns.map((f) => heat.features[f].c.name.length)));
  const grid = make(
    "table",
    {
      class: "heat",
      css: { "--tall": longest * 0.375 + 1.4 + "rem" },
      role: "grid",
      "aria-label": "Difference of features in groups, in standard deviations",
    },
    make(
      "thead",
      {},
      make(
        "tr",
        { class: "views" },
        make("td"),
        ...spans.map(({ v, n }) =>
          make("th", {
            colspan: n,
            scope: "colgroup",
            dir: "auto",
            title: v,
            text: n > 1 ? clipped(v, 5 * n) : "",
          }),
        ),
      ),
      make(
        "tr",
        {},
        make("td"),
        ...columns.map((f) =>
          make(
            "th",
            { scope: "col", title: heat.features[f].c.name },
            make("span", { text: clipped(heat.features[f].c.name, 24) }),
          ),
        ),
      ),
    ),
    make(
      "tbody",
      {},
      ...rows.map((g, r) =>
        make(
          "tr",
          {},
          make(
            "th",
            { scope: "row", title: nameOf(groups[g]) },
            chip(groups[g]),
            make("span", { text: " " + clipped(nameOf(groups[g]), 28), dir: "auto" }),
          ),
          ...columns.map((f, k) => heatCell(g, f, r === 0 && k === 0)),
        ),
      ),
    ),
  );
  grid.addEventListener("click", (event) => {
    const td = event.target.closest(".cell");
    if (td) openCell(td);
  });
  grid.addEventListener("keydown", (event) => walkCells(event, grid));
  if (!heat.at || !heat.features[heat.at]) heat.at = columns[0];
  body.replaceChildren(
    make(
      "div",
      { class: "tools" },
      make("p", {
        class: "hint",
        text: "Red is higher than in all other groups, blue lower, in standard deviations. Open a cell to see how the feature is distributed.",
      }),
      saveButtons("heat"),
    ),
    make("div", { class: "scroll heat-scroll" }, grid),
    moreOf("all", groups.length - rows.length, "smaller groups"),
    moreOf("wide", heat.features.length - columns.length, "more features"),
    make("div", { id: "spread", class: "spread" }),
  );
  showSpread(heat.at);
}
function moreOf(what, n, words) {
  if (!n) return "";
  const onclick = () => {
    heat[what] = true;
    showHeat();
  };
  return make("button", { type: "button", class: "more", text: `Show ${n} ${words}`, onclick });
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
  const td = event.target.closest(".cell"),
    move = MOVES[event.key];
  if (!td) return;
  if (event.key === "Enter" || event.key === " ") openCell(td);
  else if (move) {
    const row = grid.tBodies[0].rows[td.parentNode.sectionRowIndex + move[1]],
      to = row?.cells[td.cellIndex + move[0]];
    if (to?.classList.contains("cell")) {
      td.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    }
  } else return;
  event.preventDefault();
}

FIGURES.heat = () => {
  const { groups, heat: values } = level(),
    columns = heatOrder(heatTops()),
    rows = ranked().slice(0, 60),
    left = 230,
    top = 150,
    side = 26,
    parts = [];
  columns.forEach((f, k) =>
    parts.push(
      `<g transform="translate(${left + k * side + 17} ${top - 6}) rotate(-60)">${letters(0, 0, clipped(heat.features[f].c.name, 22), 'font-size="11"')}</g>`,
    ),
  );
  rows.forEach((g, r) => {
    const y = top + r * side,
      colour = colourOf(groups[g]);
    parts.push(
      rect(4, y + 4, 24, side - 8, colour, 'rx="4"'),
      letters(
        16,
        y + 17,
        groups[g].number,
        `fill="${inkOn(colour)}" font-weight="700" font-size="11" text-anchor="middle"`,
      ),
      letters(34, y + 17, clipped(nameOf(groups[g]), 26)),
    );
    columns.forEach((f, k) => {
      const d = values[g][f],
        fill = cellColour(d);
      parts.push(rect(left + k * side, y, side - 1, side - 1, fill));
      if (Math.abs(d) >= 0.95)
        parts.push(
          letters(
            left + k * side + 12.5,
            y + 16,
            signed(d),
            `fill="${inkOn(fill)}" font-size="9.5" text-anchor="middle"`,
          ),
        );
    });
  });
  return {
    width: left + columns.length * side + 90,
    height: top + rows.length * side + 10,
    body: parts.join(""),
  };
};
whenOpen("heat", showHeat, "level", "names", "theme");
