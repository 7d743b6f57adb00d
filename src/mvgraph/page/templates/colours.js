// --- colours: of groups, of numbers, of categories; in light and dark
const scheme = matchMedia("(prefers-color-scheme: dark)");
const dark = () => (document.documentElement.dataset.theme || (scheme.matches ? "dark" : "light")) === "dark";
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const hex = (c) => "#" + c.map((v) => Math.round(v).toString(16).padStart(2, "0")).join("");
const colourOf = (g) => D.colours[g.number];
const inkOn = (colour) => {
  const [r, g, b] = rgb(colour).map((v) =>
    (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4,
  );
  const l = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (l + 0.05) > (l + 0.05) / 0.05 ? "#ffffff" : "#000000";
};
const RAMP = {
  light: ["#d9dccb", "#93c3ad", "#3f93a4", "#2c5f9e", "#3c2a7c"].map(rgb),
  dark: ["#3c4552", "#3e6c8e", "#46a197", "#a2cf88", "#f8f0a4"].map(rgb),
};
const DIVERGING = {
  light: ["#2b5fa3", "#f1f1ee", "#b2452c"].map(rgb),
  dark: ["#6aa5ee", "#23292e", "#ee8a6c"].map(rgb),
};
function along(stops, t) {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1),
    i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((v, k) => v + (stops[i + 1][k] - v) * (at - i));
}
const ramp = (t) => along(RAMP[dark() ? "dark" : "light"], t);
const diverging = (t) => along(DIVERGING[dark() ? "dark" : "light"], (t + 1) / 2);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// categories of a column take the colours of groups in turn
const wheel = D.levels[D.base].groups.map((g) => D.colours[g.number]);
while (wheel.length < 12)
  wheel.push(
    [
      "#4087de",
      "#cb6620",
      "#2e9e52",
      "#c35c9b",
      "#988706",
      "#956ed2",
      "#03999f",
      "#d15b60",
      "#729513",
      "#6d7cdf",
      "#b2790e",
      "#b263b7",
    ][wheel.length],
  );

// how samples are coloured: a colour for every sample, and a legend
const BY = new Map([["group", { label: "group" }]]);
if (sure) BY.set("sure", { label: "how sure", part: sure, low: "0", high: "1" });
if (outlier) BY.set("outlier", { label: "outlier score", part: outlier, low: "0", high: "1" });
D.columns.forEach((c, j) => {
  if (c.kind !== "text") BY.set("column-" + j, { label: c.name, column: c });
});
D.views.forEach((v, j) => BY.set("view-" + j, { label: v.name, view: j }));

function painter() {
  const by = BY.get(state.by),
    grey = rgb(css("--faint"));
  if (by.view !== undefined) {
    const { votes, groups } = level(),
      colours = groups.map((g) => rgb(colourOf(g)));
    return (i) => {
      const v = votes[by.view * M + i];
      return v === NO_VOTE ? grey : colours[v];
    };
  }
  if (by.part) {
    const colours = Array.from({ length: 255 }, (_, t) => ramp(t / 254));
    return (i) => colours[by.part[i]] ?? grey;
  }
  if (by.column) {
    const c = by.column,
      n = c.values ? c.values.length : 255;
    const colours = Array.from({ length: 256 }, (_, code) => {
      if (code === MISSING) return grey;
      if (c.kind === "category") return rgb(wheel[code % wheel.length]);
      const value = c.values ? c.values[Math.min(code, n - 1)] : code;
      const low = c.values ? c.values[0] : 0,
        high = c.values ? c.values[n - 1] : 254;
      return ramp(high > low ? (value - low) / (high - low) : 0.5);
    });
    return (i) => colours[c.codes[i]];
  }
  const { codes, groups } = level(),
    colours = groups.map((g) => rgb(colourOf(g)));
  return (i) => colours[codes[i]];
}
// doubt is drawn: a sample that is not sure is fainter
const opacity = (i) => (sure ? 0.25 + 0.75 * Math.min(1, Math.max(0, (sure[i] / 254 - 0.3) / 0.6)) : 0.85);
// lifted, found or chosen samples stand out; null: all do
function standsOut() {
  if (state.lifted !== null) {
    const { codes } = level(),
      g = state.lifted;
    return (i) => codes[i] === g;
  }
  if (state.matched) return (i) => state.matched[i];
  if (state.chosen) return (i) => state.chosen[i];
  return null;
}
