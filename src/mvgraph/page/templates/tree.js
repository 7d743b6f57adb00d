// --- the tree: how the groups of the finest level join
const finest = D.levels.length - 1;
// children, members and the group at every level of every node
const nodes = (() => {
  const k = D.levels[finest].groups.length;
  const found = Array.from({ length: k }, (_, i) => ({
    i,
    leaves: [i],
    size: D.levels[finest].groups[i].size,
    height: 0,
  }));
  let last = 0;
  D.tree.forEach(([a, b, height], step) => {
    last = Math.max(last, height ?? last * 1.25 + 1);
    found.push({
      i: k + step,
      left: found[a],
      right: found[b],
      leaves: [...found[a].leaves, ...found[b].leaves],
      size: found[a].size + found[b].size,
      height: height ?? last,
    });
  });
  return found;
})();
// the group of a leaf of the tree at another level, by the samples that they share
const groupAt = D.levels.map((l) => {
  const of = new Array(D.levels[finest].groups.length).fill(0);
  for (let i = 0; i < M; i++) of[D.levels[finest].codes[i]] = l.codes[i];
  return of;
});
function branchOf(node) {
  const of = new Set(node.leaves.map((leaf) => groupAt[state.level][leaf]));
  return of.size === 1 ? level().groups[[...of][0]] : null;
}
const MOST_LEAVES = 80;
function treeFigure(width) {
  const root = nodes.at(-1),
    leaves = root.leaves.length,
    step = leaves > 30 ? 18 : 26,
    right = Math.min(240, width * 0.45),
    left = 14;
  const heights = nodes.filter((n) => n.left).map((n) => Math.log1p(n.height)),
    low = Math.min(...heights) * 0.6,
    high = Math.max(...heights);
  const x = (n) =>
    n.left
      ? left + ((high - Math.log1p(n.height)) / (high - low || 1)) * (width - right - left - 30)
      : width - right;
  const parts = [],
    marks = [];
  let row = 0;
  function place(n) {
    if (!n.left) {
      n.y = 16 + step * row++;
      return;
    }
    const [first, second] = n.left.size >= n.right.size ? [n.left, n.right] : [n.right, n.left];
    place(first);
    place(second);
    n.y = (first.y + second.y) / 2;
  }
  place(root);
  for (const n of nodes) {
    const own = branchOf(n),
      colour = own ? colourOf(own) : css("--soft");
    if (n.left) {
      for (const child of [n.left, n.right]) {
        const part = branchOf(child),
          stroke = part ? colourOf(part) : css("--soft");
        parts.push(
          path(
            `M${x(n).toFixed(1)} ${n.y.toFixed(1)}V${child.y.toFixed(1)}H${x(child).toFixed(1)}`,
            `fill="none" stroke="${stroke}" stroke-width="${(1 + 4 * Math.sqrt(child.size / root.size)).toFixed(1)}" stroke-linejoin="round"`,
          ),
        );
      }
    } else {
      const g = D.levels[finest].groups[n.i],
        shade = D.colours[g.number];
      parts.push(
        rect(x(n) + 4, n.y - 9, 24, 18, shade, 'rx="4"'),
        letters(
          x(n) + 16,
          n.y + 4,
          g.number,
          `fill="${inkOn(shade)}" font-weight="700" font-size="11" text-anchor="middle"`,
        ),
        letters(x(n) + 34, n.y + 4, clipped(nameOf(g), Math.floor((right - 80) / 6.6)), 'font-size="12"'),
        letters(
          width - 4,
          n.y + 4,
          short(g.size),
          `font-size="11" fill="${css("--soft")}" text-anchor="end"`,
        ),
      );
    }
    marks.push({ n, x: n.left ? x(n) : x(n) + 2, colour });
  }
  for (const { n, x: at, colour } of marks)
    if (n.left)
      parts.push(
        `<circle cx="${at.toFixed(1)}" cy="${n.y.toFixed(1)}" r="5" fill="${css("--map")}" stroke="${colour}" stroke-width="2.5" data-node="${n.i}"/>`,
      );
  return { width: Math.round(width), height: 16 + step * row, body: parts.join("") };
}
function openBranch(n) {
  const members = new Set(n.leaves),
    { codes } = D.levels[finest],
    own = branchOf(n);
  const finer = D.levels.findIndex(
    (_, i) => i > state.level && new Set(n.leaves.map((leaf) => groupAt[i][leaf])).size > 1,
  );
  if (own && finer > 0) setLevel(finer);
  choose(Uint8Array.from(codes, (c) => members.has(c)));
}
function showTree() {
  const body = $("tree-body"),
    width = Math.max(320, Math.min(900, body.clientWidth > 1000 ? body.clientWidth - 460 : body.clientWidth));
  FIGURES.tree = () => treeFigure(width);
  const picture = drawn("tree", `Tree of ${nodes.at(-1).leaves.length} groups`);
  const svg = picture.querySelector("svg");
  svg.setAttribute("role", "group");
  for (const mark of svg.querySelectorAll("[data-node]")) {
    const n = nodes[Number(mark.dataset.node)],
      parts = n.leaves.map((leaf) => D.levels[finest].groups[leaf].number);
    mark.setAttribute("role", "button");
    mark.setAttribute("tabindex", 0);
    mark.setAttribute(
      "aria-label",
      `Branch of ${parts.length} groups (${clipped(parts.join(", "), 40)}), ${short(n.size)} samples: open`,
    );
    mark.append(document.createElementNS("http://www.w3.org/2000/svg", "title"));
    mark.firstChild.textContent = `${short(n.size)} samples in ${parts.length} groups: open the branch`;
    mark.addEventListener("click", () => openBranch(n));
    mark.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        openBranch(n);
      }
    });
  }
  const rows = D.levels.map((l, i) =>
    make(
      "tr",
      {},
      make(
        "th",
        { scope: "row" },
        make("button", {
          type: "button",
          class: "link",
          "aria-pressed": i === state.level,
          text: `${l.k} groups`,
          onclick: () => setLevel(i),
        }),
      ),
      make("td", { class: "num", text: l.confidence === null ? "–" : l.confidence.toFixed(2) }),
      make("td", { class: "num", text: l.stability === null ? "–" : l.stability.toFixed(2) }),
      make("td", {
        text:
          i === D.base
            ? "the labels of this fit"
            : l.standsOut
              ? "stands out"
              : "a cut of the tree; does not stand out",
      }),
    ),
  );
  body.replaceChildren(
    make(
      "div",
      { class: "tree" },
      make(
        "div",
        {},
        make(
          "div",
          { class: "tools" },
          make("p", {
            class: "hint",
            text: "A circle joins two branches: open it to choose its samples, and to see it divided.",
          }),
          saveButtons("tree"),
        ),
        picture,
      ),
      make(
        "div",
        { class: "scroll narrow" },
        make(
          "table",
          {},
          make(
            "thead",
            {},
            make(
              "tr",
              {},
              ...["level", "confidence", "stability", ""].map((t, j) =>
                make("th", { scope: "col", class: j === 1 || j === 2 ? "num" : undefined, text: t }),
              ),
            ),
          ),
          make("tbody", {}, ...rows),
        ),
      ),
    ),
  );
}
$("tree").hidden = D.tree.length < 2 || nodes.at(-1).leaves.length > MOST_LEAVES;
if (!$("tree").hidden) whenOpen("tree", showTree, "level", "names", "theme");
