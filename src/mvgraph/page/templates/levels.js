// --- levels: the slider, and the tree of the finest one
{
  const box = $("level"),
    range = $("level-range"),
    says = $("level-says");
  const n = D.levels.length;
  box.hidden = n < 2;
  range.max = n - 1;
  range.value = state.level;
  const words = (i) => `${D.levels[i].k} groups`;
  const tell = () => {
    const l = level();
    says.textContent = l.k;
    range.setAttribute("aria-valuetext", words(state.level));
    const parts = D.levels.map((one, i) =>
      make("button", {
        type: "button",
        class: "stop",
        "aria-pressed": i === state.level,
        "aria-label": words(i),
        title: one.standsOut
          ? one.confidence === null
            ? "the number of the fit"
            : `confidence ${one.confidence.toFixed(2)}, stability ${one.stability.toFixed(2)}`
          : "a cut of the tree; it does not stand out",
        text: one.k,
        onclick: () => setLevel(i),
      }),
    );
    says.replaceChildren(...parts);
  };
  range.addEventListener("input", () => setLevel(Number(range.value)));
  watchers.push((what) => {
    if (what.has("level")) {
      range.value = state.level;
      tell();
    }
  });
}
function setLevel(i) {
  if (i === state.level) return;
  state.level = i;
  state.lifted = null;
  changed("level", "lifted");
  say(`${level().k} groups`);
}
