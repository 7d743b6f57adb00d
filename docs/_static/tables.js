// Tables of numbers can be sorted, and show where they go on.
"use strict";
const NUMBER = /^[-+\u2212]?\d*[.,]?\d+/;

function keyOf(cell) {
  const text = cell.textContent.trim().replace("\u2212", "-").replaceAll(",", "");
  return NUMBER.test(text) ? parseFloat(text) : NaN;
}

function sortBy(table, column, head) {
  const down = head.getAttribute("aria-sort") !== "descending";
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [row, keyOf(row.cells[column]), row.cells[column].textContent.trim()]);
  const numbers = rows.some(([, key]) => !Number.isNaN(key));
  rows.sort(([, a, s], [, b, t]) => {
    if (!numbers) return s.localeCompare(t);
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b); // empty ones last
    return a - b;
  });
  if (numbers && down) {
    const known = rows.filter(([, key]) => !Number.isNaN(key)).reverse();
    rows.splice(0, known.length, ...known);
  } else if (!numbers && head.getAttribute("aria-sort") === "ascending") rows.reverse();
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  const order = numbers ? (down ? "descending" : "ascending")
    : (rows[0][2].localeCompare(rows.at(-1)[2]) <= 0 ? "ascending" : "descending");
  head.setAttribute("aria-sort", order);
  body.append(...rows.map(([row]) => row));
}

function makeSortable(table) {
  const body = table.tBodies[0], heads = table.tHead?.rows[0]?.cells;
  if (!body || !heads || body.rows.length < 3) return;
  // tables of text are to be read in their order
  const filled = [...body.rows].filter((row) => row.cells.length === heads.length);
  if (filled.length !== body.rows.length) return;
  const shares = [...heads].map((_, j) => filled.filter((row) => !Number.isNaN(keyOf(row.cells[j]))).length / filled.length);
  if (shares.slice(1).filter((share) => share > 0.5).length < 2) return;
  [...heads].forEach((head, j) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(table, j, head));
  });
}

function showEnd(table) {
  const frame = document.createElement("div"), hint = document.createElement("p");
  frame.className = "cut";
  hint.textContent = "The table goes on to the right.";
  table.replaceWith(frame);
  frame.append(hint, table);
  const update = () => {
    const rest = table.scrollWidth - table.clientWidth;
    frame.classList.toggle("wide", rest > 4);
    frame.classList.toggle("more", rest - table.scrollLeft > 4);
    if (rest > 4) table.tabIndex = 0; else table.removeAttribute("tabindex");
  };
  table.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(table);
  update();
}

addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".bd-article table")) {
    makeSortable(table);
    showEnd(table);
  }
});
