// --- one card a group: number, name, size, how sure, what it is, samples
const cards = $("cards");
const chip = (g) =>
  make("b", { class: "chip", text: g.number, css: { background: colourOf(g), color: inkOn(colourOf(g)) } });
function sampleButton(i) {
  const picture = pictureOf(i, 40);
  if (!picture) return named(i);
  return make(
    "button",
    {
      type: "button",
      class: "sample pictured",
      "data-sample": i,
      title: clipped(ids[i], 100),
      "aria-label": "sample " + clipped(ids[i], 100),
      onclick: () => goTo(i),
    },
    picture,
  );
}
// typical samples as pictures, as texts, or by their names
const shows = (i) => clipped((texts && valueOf(texts, i)) ?? ids[i], 90);
const named = (i) =>
  make(
    "button",
    {
      type: "button",
      class: "sample",
      "data-sample": i,
      title: clipped(ids[i], 100),
      onclick: () => goTo(i),
    },
    make("span", { text: shows(i), dir: "auto" }),
  );
const strip = (rows, label) => {
  const own = pictured ? rows.filter((i) => D.pictures || D.files[i]) : [];
  return [
    own.length
      ? make(
          "div",
          { class: "strip photos", role: "group", "aria-label": label },
          ...own.slice(0, 7).map(sampleButton),
        )
      : null,
    texts || !own.length
      ? make(
          "div",
          { class: texts ? "strip quotes" : "strip", role: "group", "aria-label": label },
          ...rows.slice(0, texts ? 3 : 5).map(named),
        )
      : null,
  ].filter((e) => e);
};
function card(g, place) {
  const id = "name-" + g.number,
    colour = colourOf(g);
  const name = make("input", {
    id,
    class: "name",
    value: nameOf(g),
    dir: "auto",
    maxlength: 200,
    spellcheck: "false",
    title: nameOf(g),
    "aria-label": `Name of group ${g.number}`,
    onchange: (event) => {
      const wrong = rename(g, event.target.value);
      event.target.setCustomValidity(wrong);
      if (wrong) event.target.reportValidity();
    },
    onkeydown: (event) => {
      if (event.key === "Enter") event.target.blur();
    },
  });
  const join = g.mayJoin === null ? null : level().groups[level().places.get(g.mayJoin)];
  const shareAll = g.size / D.n;
  return make(
    "article",
    {
      class: join ? "card doubtful" : "card",
      id: "card-" + g.number,
      "aria-labelledby": id,
      css: { "--own": colour },
      onmouseenter: () => lift(place),
      onmouseleave: () => lift(null),
    },
    make(
      "header",
      {},
      chip(g),
      name,
      make("button", {
        type: "button",
        class: "quiet",
        title: "Choose these samples on the map",
        "aria-label": `Choose the samples of group ${g.number}`,
        text: "◎",
        onclick: () => {
          lift(null);
          chooseGroup(place);
        },
      }),
    ),
    make(
      "p",
      { class: "size" },
      make("b", { text: short(g.size) }),
      make("span", { text: ` ${g.size === 1 ? "sample" : "samples"} · ${percent(shareAll)}` }),
      g.sure === null
        ? null
        : make(
            "span",
            {
              class: "sure",
              title: `Its samples belong here with a probability of ${g.sure.toFixed(2)} on average`,
            },
            make("span", { text: `sure ${g.sure.toFixed(2)}` }),
            make("i", { "aria-hidden": "true" }, make("i", { css: { width: 100 * g.sure + "%" } })),
          ),
    ),
    join
      ? make(
          "p",
          { class: "doubt" },
          "May be part of ",
          chip(join),
          make("span", { text: " " + clipped(nameOf(join), 40), dir: "auto" }),
        )
      : null,
    ...(pictured
      ? [...strip(g.typical, `Typical of group ${g.number}`), ...evidence(g)]
      : [
          ...evidence(g),
          make("h3", { class: "sub", text: "Typical" }),
          ...strip(g.typical, `Typical of group ${g.number}`),
        ]),
    g.least.length
      ? make(
          "details",
          { class: "least" },
          make("summary", { text: "Least sure" }),
          ...strip(g.least, `Least sure of group ${g.number}`),
        )
      : null,
  );
}
// of very many groups the largest come first, the others on demand
const FIRST = 24;
let opened = FIRST;
function showCards() {
  const { groups } = level(),
    ranks = ranked(),
    shown = ranks.slice(0, opened);
  const none = outlier ? outlier.reduce((n, x) => n + (x > 0.98 * 254), 0) : 0;
  cards.replaceChildren(
    ...shown.map((i) => card(groups[i], i)),
    ranks.length > shown.length
      ? make("button", {
          type: "button",
          class: "more",
          text: `Show ${ranks.length - shown.length} smaller groups`,
          onclick: () => {
            opened = Infinity;
            showCards();
          },
        })
      : "",
    none
      ? make(
          "p",
          { class: "none" },
          make("b", { text: "–" }),
          make("span", {
            text: ` ${short(none)}${D.n > M ? " drawn" : ""} ${none === 1 ? "sample belongs" : "samples belong"} to none; `,
          }),
          make("a", {
            href: "#odd",
            text: "see them",
            onclick: () => {
              $("odd").open = true;
            },
          }),
        )
      : "",
    make(
      "p",
      { class: "none" },
      make("button", {
        type: "button",
        class: "quiet",
        id: "save-names",
        text: "Save names as CSV",
        onclick: saveNames,
      }),
      make("button", {
        type: "button",
        class: "quiet",
        id: "save-page",
        title: "This page with the names as they are now",
        text: "Save page",
        onclick: savePage,
      }),
    ),
  );
}
cards.addEventListener("focusin", (event) => {
  const own = event.target.closest(".card");
  if (own) lift(level().places.get(Number(own.id.slice(5))));
});
cards.addEventListener("focusout", () => lift(null));
watchers.push((what) => {
  if (what.has("level")) {
    opened = FIRST;
    showCards();
  }
  if (what.has("names"))
    for (const g of level().groups) {
      const e = $("name-" + g.number);
      if (e) {
        e.value = nameOf(g);
        e.title = nameOf(g);
      }
    }
  if (what.has("theme")) showCards();
  if (what.has("lifted"))
    for (const e of cards.querySelectorAll(".card"))
      e.classList.toggle(
        "lifted",
        state.lifted !== null && e.id === "card-" + level().groups[state.lifted].number,
      );
});
