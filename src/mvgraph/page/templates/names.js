// --- names of groups: changed, saved, and kept in a copy of the page
// returns what is wrong with a name, if anything is
function rename(g, text) {
  const name = text.trim();
  const other = level().groups.find((h) => h !== g && nameOf(h) === name);
  if (name && other) return `Group ${other.number} is called so already: every group needs its own name.`;
  if (name && name !== g.name) renamed.set(keyOf(g), name);
  else renamed.delete(keyOf(g));
  changed("names");
  say(`Group ${g.number} is now called ${nameOf(g)}.`);
  return "";
}
function saveNames() {
  const own = [...level().groups].sort((a, b) => a.number - b.number);
  save(
    state.level === D.base ? "names.csv" : `names-${level().k}.csv`,
    csv([["cluster", "name"], ...own.map((g) => [g.number, nameOf(g)])]),
    "text/csv",
  );
}
// this page with the names as they are now
function savePage() {
  const index = JSON.parse(written_index);
  for (const l of index.levels) for (const g of l.groups) g.name = nameOf(g);
  const text = JSON.stringify(index).replace(
    /[<>&\u2028\u2029]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
  save("clusters.html", "<!doctype html>\n" + source.replace(written_index, () => text) + "\n", "text/html");
}
