"use strict";
(() => {
  const tip = document.getElementById("tip");

  // --- what a mark or a number means: on hover, focus, touch and arrow keys
  function show(mark, x, y) {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(x + 12, innerWidth - box.width - 8);
    const above = y - box.height - 10;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (above < 4 ? y + 16 : above) + "px";
  }
  let held = null;  // the mark that the keyboard is on: it keeps its words on scrolling
  function hide() { tip.hidden = true; held = null; }
  function centre(mark) {
    held = mark;
    const box = mark.getBoundingClientRect();
    show(mark, box.left + box.width / 2, box.top);
  }
  document.addEventListener("pointerover", (event) => {
    const mark = event.target.closest("[data-tip]");
    if (mark) { held = null; show(mark, event.clientX, event.clientY); }
    else if (!held) hide();
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.matches("[data-tip]")) centre(event.target); else hide();
  });
  document.addEventListener("scroll", () => {
    if (held) centre(held); else hide();
  }, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const chart = event.target.closest("svg[role=img]");
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!chart || !step) return;
    const marks = [...chart.querySelectorAll("[data-tip]")];
    if (!marks.length) return;
    event.preventDefault();
    const now = marks.findIndex((mark) => mark.classList.contains("on"));
    if (now >= 0) marks[now].classList.remove("on");
    const start = step > 0 ? -1 : 0;
    const next = ((now < 0 ? start : now) + step + marks.length) % marks.length;
    marks[next].classList.add("on");
    centre(marks[next]);
  });

  // --- which scores the tables have
  const columns = document.getElementById("columns");
  columns.hidden = columns.querySelectorAll("input").length < 2;
  columns.addEventListener("change", ({ target }) => {
    document.querySelectorAll("thead th").forEach((head) => {
      if (head.textContent.trim() !== target.value) return;
      for (const row of head.closest("table").rows) {
        row.cells[head.cellIndex].hidden = !target.checked;
      }
    });
  });

  // --- sort a table by a column; empty cells stay last
  function value(row, column) {
    const text = row.cells[column].dataset.value;
    if (text === undefined) return null;
    const number = Number(text);
    return text === "" || Number.isNaN(number) ? text : number;
  }
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b));
  }
  document.querySelectorAll("thead button").forEach((button) => {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const body = head.closest("table").tBodies[0];
      const numeric = head.classList.contains("num");
      const before = head.getAttribute("aria-sort");
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const order = before === first ? other : first;
      head.parentNode.querySelectorAll("th").forEach((th) => th.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const column = head.cellIndex;
      const rows = [...body.rows].map((row) => [value(row, column), row]);
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return sign * compare(a, b);
      });
      body.append(...rows.map(([, row]) => row));
    });
  });

  // --- light, dark, or as the system wants
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
})();
