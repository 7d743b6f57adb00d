// --- those that belong to none, and those whose views contradict each other
{
  const odd = $("odd-body");
  const row = ([i, , why]) => make("li", {}, sampleButton(i), make("span", {}, make("b", { text: clipped(ids[i], 60), dir: "auto" }), make("span", { class: "why" })), chip(groupOf(i)));
  function fillOdd() {
    const lists = [["Far from all others", D.odd.filter((o) => !o[1])], ["Views that contradict each other", D.odd.filter((o) => o[1])]];
    odd.replaceChildren(D.odd.length ? make("div", { class: "two" }, ...lists.map(([title, own]) => make("div", {}, make("h3", { text: title }),
      own.length ? make("ul", { class: "odd" }, ...own.map((o) => { const e = row(o); e.querySelector(".why").textContent = o[2]; return e; }))
        : make("p", { class: "hint", text: "None." })))) : make("p", { class: "hint", text: outlier ? "Every sample belongs to a group." : "This method does not judge which samples belong to none." }));
  }
  watchers.push((what) => { if (what.has("level") || what.has("theme")) fillOdd(); });
}
