// --- find a sample by its name
const find = $("find"),
  list = $("found");
function search() {
  const wanted = find.value.trim().toLowerCase();
  if (!wanted) {
    state.matched = null;
    list.hidden = true;
    changed("matched");
    return;
  }
  const hits = new Uint8Array(M),
    first = [];
  let n = 0;
  for (let i = 0; i < M; i++) {
    if (!ids[i].toLowerCase().includes(wanted)) continue;
    hits[i] = 1;
    n++;
    if (ids[i].toLowerCase() === wanted) first.unshift(i);
    else if (first.length < 8) first.push(i);
  }
  state.matched = n ? hits : null;
  list.replaceChildren(
    ...first
      .slice(0, 8)
      .map((i) =>
        make(
          "li",
          {},
          make(
            "button",
            { type: "button", "data-sample": i, onclick: () => goTo(i) },
            make("i", { css: { background: colourOf(groupOf(i)) } }),
            make("span", { text: clipped(ids[i], 60), dir: "auto" }),
            make("small", { text: groupOf(i).number }),
          ),
        ),
      ),
    make("li", {
      class: "count",
      text: n
        ? `${short(n)} found`
        : `no sample is called so${D.n > M ? "; only drawn samples are here" : ""}`,
    }),
  );
  list.hidden = false;
  say(`${n} samples found`);
  changed("matched");
}
function goTo(i) {
  list.hidden = true;
  state.matched = null;
  state.lifted = null;
  changed("matched", "lifted");
  canvas.scrollIntoView({ block: "nearest" });
  focusDot(i);
}
find.addEventListener("input", search);
find.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    find.value = "";
    search();
  }
  if (event.key === "Enter") list.querySelector("button")?.click();
  if (event.key === "ArrowDown") {
    list.querySelector("button")?.focus();
    event.preventDefault();
  }
});
list.addEventListener("keydown", (event) => {
  const buttons = [...list.querySelectorAll("button")],
    at = buttons.indexOf(document.activeElement);
  if (event.key === "ArrowDown") buttons[at + 1]?.focus();
  else if (event.key === "ArrowUp") (buttons[at - 1] ?? find).focus();
  else if (event.key === "Escape") find.focus();
  else return;
  event.preventDefault();
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".find")) list.hidden = true;
});

watchers.push((what) => {
  if (what.has("level") || what.has("names")) findAnchors();
  if (what.has("level") || what.has("by") || what.has("theme")) legend();
  recolour();
});
