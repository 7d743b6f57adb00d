// --- what the page holds: an index, packed columns, and what is chosen
const $ = (id) => document.getElementById(id);
const source = document.documentElement.outerHTML,
  written_index = $("index").textContent;
const D = JSON.parse(written_index);
const MISSING = 255,
  NO_VOTE = 65535;

async function inflated(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}
const store = await inflated($("packed").textContent);
$("packed").remove();
const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
function column(place) {
  if (!place) return null;
  if (place.kind !== "words") return new KINDS[place.kind](store, place.at, place.n);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(store, place.at, place.bytes)));
}
const M = D.m;
const ids = column(D.ids),
  xy = column(D.xy),
  sure = column(D.sure),
  outlier = column(D.outlier);
for (const level of D.levels) {
  level.codes = column(level.codes);
  level.votes = column(level.votes).slice();
  for (let k = 0; k < level.votes.length; k++) level.votes[k] ^= level.codes[k % M];
  level.places = new Map(level.groups.map((g, i) => [g.number, i]));
}
for (const c of D.columns) {
  c.codes = column(c.codes);
  if (c.kind === "text") c.values = column(c.values);
}
// what a sample says, where a column holds texts
const prose = (c) =>
  c.values
    .slice(0, 200)
    .filter((x) => /\p{L}/u.test(x))
    .reduce((n, x, _, all) => n + x.length / all.length, 0);
const texts = D.columns
  .filter((c) => c.kind === "text" && prose(c) >= 15)
  .sort((a, b) => prose(b) - prose(a))[0];
const pixels = column(D.pictures);

// names that the reader gave, by group; they are in every file that is saved. A group
// that is the same at another level has the same name there
const renamed = new Map();
const keyOf = (g) => g.number + "/" + g.size;
const state = { level: D.base, by: "group", lifted: null, chosen: null, focus: -1, matched: null };
const watchers = [];
// what: level, by, lifted, chosen, names, theme, matched
function changed(...what) {
  for (const f of watchers) f(new Set(what));
}
const level = () => D.levels[state.level];
const nameOf = (g) => renamed.get(keyOf(g)) ?? g.name;
const groupOf = (i) => level().groups[level().codes[i]];

// numbers of a table as they were written, where a view holds them scaled
const written = new Map(D.columns.filter((c) => !c.view && c.kind === "number").map((c) => [c.name, c]));
const asWritten = (c) => written.get(c.name) ?? c;
function valueOf(c, i) {
  if (c.kind === "text") return c.values[i] || null;
  const code = c.codes[i];
  if (code === MISSING) return null;
  return c.values ? c.values[code] : c.low + (code * (c.high - c.low)) / (MISSING - 1);
}
function short(x) {
  if (x === null || x === undefined) return "–";
  if (typeof x !== "number") return String(x);
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e6) return x.toLocaleString("en");
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(1);
  return x.toLocaleString("en", { maximumFractionDigits: size < 1 ? 3 : size < 100 ? 2 : 0 });
}
const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(1);
function percent(x) {
  if (x > 0 && x < 0.01) return "under 1 %";
  if (x < 1 && x > 0.99) return "over 99 %";
  return Math.round(100 * x) + " %";
}
const clipped = (text, most = 60) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

// every element is made here: texts of the data are only ever text, and characters that
// hide or reverse what follows are seen
const HIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]/g;
const visible = (x) =>
  typeof x === "string"
    ? x.replace(HIDDEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"))
    : x;
function make(tag, properties = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (value === false && !key.startsWith("aria-")) continue;
    if (key === "text") e.textContent = visible(value);
    else if (key === "class") e.className = value;
    else if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "css") for (const [k, v] of Object.entries(value)) e.style.setProperty(k, v);
    else e.setAttribute(key, value === true && !key.startsWith("aria-") ? "" : value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== false).map(visible));
  return e;
}
function say(text) {
  $("said").textContent = text;
}

// --- one way to write each kind of file
// The first columns, ids and labels, are written as they are. In others, an apostrophe
// stands before text that a spreadsheet would take for a formula.
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
function csv(rows, exact = 1) {
  const free = (x) => FORMULA.test(x) && Number.isNaN(Number(x)) ? "'" + x : x;
  const cell = (x, column) => {
    const whole = x === null || x === undefined ? "" : String(x);
    const text = column < exact ? whole : free(whole);
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const a = make("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
function saveSamples(rows, name) {
  const extra = D.columns.filter((c) => !c.view);
  const head = [
    "id",
    "label",
    "name",
    ...(sure ? ["confidence"] : []),
    ...(outlier ? ["outlier_score"] : []),
  ];
  const lines = rows.map((i) => [
    ids[i],
    groupOf(i).number,
    nameOf(groupOf(i)),
    ...(sure ? [(sure[i] / 254).toFixed(3)] : []),
    ...(outlier ? [(outlier[i] / 254).toFixed(3)] : []),
    ...extra.map((c) => valueOf(c, i)),
  ]);
  save(name, "\ufeff" + csv([[...head, ...extra.map((c) => c.name)], ...lines], 2), "text/csv");
}
