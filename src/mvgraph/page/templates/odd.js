// --- those that belong to none, and those whose views contradict each other
{
  const FEW = 12,
    body = $("odd-body"),
    whole = new Set();
  const line = ([i, , why]) =>
    make(
      "li",
      {},
      pictureOf(i, 36) ?? "",
      make(
        "span",
        {},
        make(
          "button",
          { type: "button", class: "link", "data-sample": i, onclick: () => goTo(i) },
          make("b", { text: shows(i), dir: "auto" }),
        ),
        make("span", { class: "why", text: why, dir: "auto" }),
      ),
      chip(groupOf(i)),
    );
  function part(title, own) {
    if (!own.length)
      return make("div", {}, make("h3", { text: title }), make("p", { class: "hint", text: "None." }));
    const shown = whole.has(title) ? own : own.slice(0, FEW);
    return make(
      "div",
      {},
      make("h3", { text: title }),
      make("ul", { class: "odd" }, ...shown.map(line)),
      shown.length < own.length
        ? make("button", {
            type: "button",
            text: `Show ${own.length - shown.length} more`,
            onclick: () => {
              whole.add(title);
              showOdd();
            },
          })
        : "",
    );
  }
  function showOdd() {
    const none = outlier
      ? "Every sample belongs to a group."
      : "This method does not judge which samples belong to none.";
    body.replaceChildren(
      D.odd.length
        ? make(
            "div",
            { class: "two" },
            part(
              "Far from all others",
              D.odd.filter((one) => !one[1]),
            ),
            part(
              "Views that contradict each other",
              D.odd.filter((one) => one[1]),
            ),
          )
        : make("p", { class: "hint", text: none }),
    );
  }
  whenOpen("odd", showOdd, "level", "theme");
}
