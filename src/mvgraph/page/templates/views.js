// --- what each view alone would say
const MOST_SIDES = 24;
function tableOf(v) {
  const { codes, votes, groups } = level(),
    k = groups.length,
    counts = groups.map(() => new Float64Array(k)),
    total = new Float64Array(k);
  for (let i = 0; i < M; i++) {
    const vote = votes[v * M + i];
    if (vote === NO_VOTE) continue;
    counts[codes[i]][vote]++;
    total[codes[i]]++;
  }
  return counts.map((row, g) => Array.from(row, (x) => (total[g] ? x / total[g] : null)));
}
function matched(v, side) {
  const { groups } = level(),
    rows = ranked().slice(0, MOST_SIDES),
    table = tableOf(v),
    left = 30,
    top = 24,
    parts = [];
  const cell = Math.max(8, Math.min(40, (side - left) / rows.length));
  parts.push(
    letters(
      left,
      10,
      `group that ${clipped(D.views[v].name, 24)} says →`,
      `font-size="10" fill="${css("--soft")}"`,
    ),
  );
  rows.forEach((g, r) => {
    const colour = colourOf(groups[g]);
    parts.push(
      rect(2, top + r * cell + 1, 24, cell - 2, colour, 'rx="3"'),
      rect(left + r * cell + 1, top - 8, cell - 2, 5, colour, 'rx="2"'),
    );
    if (cell >= 13)
      parts.push(
        letters(
          14,
          top + r * cell + cell / 2 + 4,
          groups[g].number,
          `fill="${inkOn(colour)}" font-size="10" font-weight="700" text-anchor="middle"`,
        ),
      );
    rows.forEach((h, c) => {
      const x = table[g][h];
      parts.push(
        rect(
          left + c * cell,
          top + r * cell,
          cell - 1,
          cell - 1,
          x === null ? css("--panel") : hex(ramp(Math.sqrt(x))),
        ),
      );
      if (x >= 0.1 && cell >= 18) {
        const fill = hex(ramp(Math.sqrt(x)));
        parts.push(
          letters(
            left + c * cell + cell / 2 - 0.5,
            top + r * cell + cell / 2 + 3.5,
            Math.round(100 * x),
            `fill="${inkOn(fill)}" font-size="9" text-anchor="middle"`,
          ),
        );
      }
    });
  });
  return {
    width: Math.round(Math.max(left + rows.length * cell + 2, 230)),
    height: Math.round(top + rows.length * cell + 2),
    body: parts.join(""),
  };
}
function confusions(v) {
  const { groups } = level(),
    table = tableOf(v),
    found = [];
  table.forEach((row, g) =>
    row.forEach((x, h) => {
      if (g !== h && x >= 0.1) found.push([x, groups[g], groups[h]]);
    }),
  );
  return found.sort((a, b) => b[0] - a[0]).slice(0, 4);
}
function viewCard(v) {
  const view = D.views[v],
    whole = level().alone[v].at(-1),
    found = confusions(v);
  const body = make(
    "div",
    { class: "view" },
    make("h3", { text: clipped(view.name, 60), dir: "auto" }),
    make(
      "p",
      { class: "says" },
      make("b", { text: whole === null ? "–" : percent(whole) }),
      " of the samples in the same group",
    ),
    view.used
      ? null
      : make("p", {
          class: "doubt",
          text: "Left out of the fit: groups of it alone agree with no other view.",
        }),
    view.lacking
      ? make("p", { class: "hint", text: `${percent(view.lacking)} of the samples do not have it.` })
      : null,
  );
  if (level().k > 1) {
    FIGURES["view-" + v] = () => matched(v, 300);
    const lines = found.map(([x, g, h]) =>
      make(
        "li",
        {},
        chip(g),
        make("span", { text: " taken for " }),
        chip(h),
        make("span", { text: ` ${percent(x)}` }),
      ),
    );
    body.append(
      drawn(
        "view-" + v,
        `What ${view.name} alone says of every group: ` +
          (found.map(([x, g, h]) => `${g.number} taken for ${h.number} in ${percent(x)}`).join("; ") ||
            "each group is found again"),
      ),
      make("ul", { class: "confused" }, ...lines),
      make(
        "div",
        { class: "buttons" },
        make("button", {
          type: "button",
          class: "quiet",
          text: "Colour the map",
          onclick: () => colourBy("view-" + v),
        }),
        saveButtons("view-" + v),
      ),
    );
  }
  return body;
}
function showViews() {
  const { groups, pairs } = level(),
    shown = pairs.slice(0, 30);
  $("views-body").replaceChildren(
    make("p", {
      class: "hint",
      text: "Every sample is put where its nearest samples are in one view alone. Rows are groups, columns what the view says; dark on the diagonal: the view agrees.",
    }),
    make("div", { class: "views" }, ...D.views.map((_, v) => viewCard(v))),
    ...(D.views.length > 1 && groups.length > 1
      ? [
          make("h3", { text: "Pairs that only one view tells apart" }),
          shown.length
            ? make(
                "ul",
                { class: "apart" },
                ...shown.map(([a, b, v]) =>
                  make(
                    "li",
                    {},
                    chip(groups[a]),
                    make("span", { text: " and " }),
                    chip(groups[b]),
                    make("span", { text: " only in " }),
                    make("b", { text: clipped(D.views[v].name, 40), dir: "auto" }),
                  ),
                ),
              )
            : make("p", {
                class: "hint",
                text: "None: every pair of groups differs in at least two views, or is not told apart clearly by any.",
              }),
          pairs.length > shown.length
            ? make("p", { class: "hint", text: `and ${pairs.length - shown.length} more pairs` })
            : "",
        ]
      : []),
  );
}
whenOpen("views", showViews, "level", "theme");
