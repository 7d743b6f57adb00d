// --- what the colours mean
function legend() {
  const by = BY.get(state.by),
    box = $("legend");
  if (state.by === "group") {
    box.replaceChildren();
    return;
  }
  if (by.view !== undefined) {
    box.replaceChildren(make("span", { text: `the group that ${clipped(by.label, 30)} alone would give` }));
    return;
  }
  const c = by.column;
  if (c && c.kind === "category") {
    const words = c.values.slice(0, 14);
    box.replaceChildren(
      make("b", { text: clipped(c.name, 40), dir: "auto" }),
      ...words.map((word, code) =>
        make(
          "span",
          { class: "key" },
          make("i", { css: { background: wheel[code % wheel.length] } }),
          make("span", { text: clipped(word, 24), dir: "auto" }),
        ),
      ),
      ...(c.values.length > 14 ? [make("span", { text: `and ${c.values.length - 14} more` })] : []),
    );
    return;
  }
  const low = c ? (c.values ? c.values[0] : c.low) : 0,
    high = c ? (c.values ? c.values.at(-1) : c.high) : 1;
  const stops = [0, 0.25, 0.5, 0.75, 1].map((t) => hex(ramp(t))).join(", ");
  box.replaceChildren(
    make("b", { text: clipped(by.label, 40), dir: "auto" }),
    make(
      "span",
      { class: "ramp" },
      make("span", { text: short(low) }),
      make("i", { css: { background: `linear-gradient(90deg, ${stops})` } }),
      make("span", { text: short(high) }),
    ),
  );
}
const select = $("colour-by");
function option(value, label) {
  return make("option", { value, text: clipped(label, 40) });
}
{
  const keys = [...BY.keys()];
  const sets = [
    ["", keys.filter((k) => !k.includes("-"))],
    ["columns", keys.filter((k) => BY.get(k).column && !BY.get(k).column.view)],
    ...D.views.map((v) => [v.name, keys.filter((k) => BY.get(k).column?.view === v.name)]),
    ["what a view alone says", D.views.length > 1 ? keys.filter((k) => k.startsWith("view-")) : []],
  ];
  for (const [label, own] of sets) {
    if (!own.length) continue;
    const options = own.map((k) => option(k, BY.get(k).label));
    if (label) select.append(make("optgroup", { label: clipped(label, 40) }, ...options));
    else select.append(...options);
  }
}
select.addEventListener("change", () => {
  state.by = select.value;
  changed("by");
});
