// --- what is chosen by the lasso or from a card: how many of which group, save, compare
const panel = $("chosen");
function chosenRows() {
  const rows = [];
  if (state.chosen) for (let i = 0; i < M; i++) if (state.chosen[i]) rows.push(i);
  return rows;
}
// mean and spread of a shown column, of some samples and of the others
function contrast(c, chosen) {
  let n = 0,
    total = 0,
    square = 0,
    inside = 0,
    sum = 0;
  for (let i = 0; i < M; i++) {
    const x = valueOf(c, i);
    if (x === null) continue;
    n++;
    total += x;
    square += x * x;
    if (chosen[i]) {
      inside++;
      sum += x;
    }
  }
  if (!inside || inside === n) return null;
  const spread = Math.sqrt(Math.max(square / n - (total / n) ** 2, 0));
  if (!(spread > 1e-12 * Math.abs(total / n))) return null;
  const here = sum / inside,
    there = (total - sum) / (n - inside);
  return {
    name: c.name,
    view: c.view || "columns",
    difference: (here - there) / spread,
    inside: here,
    outside: there,
    shareInside: 0,
    shareOutside: 0,
  };
}
function showChosen() {
  const rows = chosenRows();
  panel.hidden = !rows.length;
  if (!rows.length) {
    panel.replaceChildren();
    return;
  }
  const { codes, groups } = level(),
    counts = new Array(groups.length).fill(0);
  for (const i of rows) counts[codes[i]]++;
  const parts = counts
    .map((n, g) => [n, groups[g]])
    .filter(([n]) => n)
    .sort((a, b) => b[0] - a[0]);
  const found = D.columns
    .filter((c) => c.kind === "number")
    .map((c) => contrast(c, state.chosen))
    .filter((f) => f && Math.abs(f.difference) >= 0.1)
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
    .slice(0, 8);
  const most = Math.max(2, ...found.map((f) => Math.abs(f.difference)));
  panel.replaceChildren(
    make(
      "header",
      {},
      make("h3", { text: `${short(rows.length)} chosen` }),
      make(
        "span",
        { class: "buttons" },
        make("button", {
          type: "button",
          id: "save-chosen",
          text: "Save CSV",
          onclick: () => saveSamples(rows, "chosen.csv"),
        }),
        make("button", {
          type: "button",
          text: "Clear",
          onclick: () => {
            choose(null);
            canvas.focus();
          },
        }),
      ),
    ),
    make(
      "p",
      { class: "parts" },
      ...parts.slice(0, 8).map(([n, g]) => make("span", {}, chip(g), ` ${short(n)}`)),
      parts.length > 8 ? ` and ${parts.length - 8} more groups` : "",
    ),
    make(
      "p",
      { class: "share", "aria-hidden": "true" },
      ...parts.map(([n, g]) => make("i", { css: { "flex-grow": n, background: colourOf(g) } })),
    ),
    found.length ? make("h3", { class: "sub", text: "Against all others" }) : "",
    make("ul", { class: "features" }, ...found.map((f) => featureRow(f, most))),
  );
  say(
    `${short(rows.length)} samples chosen: ` +
      parts
        .slice(0, 4)
        .map(([n, g]) => `${n} of group ${g.number}`)
        .join(", "),
  );
}
watchers.push((what) => {
  if (what.has("chosen") || what.has("level") || what.has("theme")) showChosen();
});
