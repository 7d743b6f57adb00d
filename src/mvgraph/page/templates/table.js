// --- the table of samples: filter, sort, save
{
  const body = $("samples-body"),
    PAGE = 25;
  const sheet = { sort: null, down: false, page: 0, text: "", group: "" };
  const columns = [
    { name: "sample", value: (i) => ids[i], text: true },
    { name: "group", value: (i) => groupOf(i).number, left: true },
    ...(sure ? [{ name: "sure", value: (i) => sure[i] / 254, fixed: 2 }] : []),
    ...(outlier ? [{ name: "outlier", value: (i) => outlier[i] / 254, fixed: 2 }] : []),
    ...D.columns.map((c, j) => ({
      name: c.name,
      value: (i) => valueOf(c, i),
      text: c.kind !== "number",
      column: j,
    })),
  ];
  // columns that no view holds, and the strongest features
  const shown = columns
    .filter((c) => c.column === undefined || !D.columns[c.column].view)
    .concat(columns.filter((c) => c.column !== undefined && D.columns[c.column].view).slice(0, 6));
  const filter = make("input", {
    type: "search",
    id: "filter",
    placeholder: "Filter by name or value",
    "aria-label": "Filter by name or value",
    oninput: (e) => {
      sheet.text = e.target.value.trim().toLowerCase();
      sheet.page = 0;
      fill();
    },
  });
  const group = make("select", {
    "aria-label": "Group",
    onchange: (e) => {
      sheet.group = e.target.value;
      sheet.page = 0;
      fill();
    },
  });
  const count = make("span", { class: "count", role: "status" }),
    table = make("table");
  const previous = make("button", {
    type: "button",
    text: "←",
    "aria-label": "Previous rows",
    onclick: () => {
      sheet.page--;
      fill();
    },
  });
  const following = make("button", {
    type: "button",
    text: "→",
    "aria-label": "Next rows",
    onclick: () => {
      sheet.page++;
      fill();
    },
  });
  let rows = [];
  function wanted() {
    rows = [];
    const { codes } = level(),
      only = sheet.group === "" ? null : Number(sheet.group);
    for (let i = 0; i < M; i++) {
      if (only !== null && codes[i] !== only) continue;
      if (state.chosen && !state.chosen[i]) continue;
      if (
        sheet.text &&
        !shown.some(
          (c) =>
            c.text &&
            String(c.value(i) ?? "")
              .toLowerCase()
              .includes(sheet.text),
        )
      )
        continue;
      rows.push(i);
    }
    if (sheet.sort === null) return;
    const { value } = shown[sheet.sort],
      sign = sheet.down ? -1 : 1;
    const keys = new Map(rows.map((i) => [i, value(i)]));
    rows.sort((a, b) => {
      const x = keys.get(a),
        y = keys.get(b);
      if (x === null || y === null) return (x === null) - (y === null);
      return (
        sign *
        (typeof x === "number" && typeof y === "number"
          ? x - y
          : String(x).localeCompare(String(y), undefined, { numeric: true }))
      );
    });
  }
  function head(c, j) {
    const sorted = sheet.sort === j ? (sheet.down ? "descending" : "ascending") : undefined;
    return make(
      "th",
      { scope: "col", "aria-sort": sorted, class: c.text || c.left ? undefined : "num" },
      make(
        "button",
        {
          type: "button",
          title: c.name,
          onclick: () => {
            sheet.down = sheet.sort === j ? !sheet.down : !c.text;
            sheet.sort = j;
            fill();
            table.tHead.rows[0].cells[j].firstChild.focus();
          },
        },
        make("span", { text: clipped(c.name, 22), dir: "auto" }),
      ),
    );
  }
  function cell(c, i) {
    if (c.name === "group" && c.column === undefined)
      return make(
        "td",
        {},
        chip(groupOf(i)),
        make("span", { class: "own", text: " " + clipped(nameOf(groupOf(i)), 30), dir: "auto" }),
      );
    const x = c.value(i);
    return make("td", {
      class: c.text ? undefined : "num",
      text: x === null ? "–" : c.fixed ? x.toFixed(c.fixed) : clipped(short(x), 60),
      dir: c.text ? "auto" : undefined,
    });
  }
  function fill() {
    wanted();
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    sheet.page = Math.min(Math.max(sheet.page, 0), pages - 1);
    const first = sheet.page * PAGE,
      some = rows.slice(first, first + PAGE);
    table.replaceChildren(
      make("thead", {}, make("tr", {}, ...shown.map(head))),
      make(
        "tbody",
        {},
        ...some.map((i) =>
          make(
            "tr",
            {},
            make(
              "th",
              { scope: "row" },
              make(
                "button",
                { type: "button", class: "link", title: "Show on the map", onclick: () => goTo(i) },
                pictureOf(i, 24) ?? "",
                make("span", { text: clipped(ids[i], 60), dir: "auto" }),
              ),
            ),
            ...shown.slice(1).map((c) => cell(c, i)),
          ),
        ),
      ),
    );
    count.textContent = rows.length
      ? `${short(first + 1)}–${short(first + some.length)} of ${short(rows.length)}${state.chosen ? " chosen" : D.n > M ? " drawn" : ""}`
      : "no sample fits";
    previous.disabled = sheet.page === 0;
    following.disabled = sheet.page >= pages - 1;
  }
  function options() {
    group.replaceChildren(
      make("option", { value: "", text: "all groups" }),
      ...ranked().map((g) =>
        make("option", {
          value: g,
          text: clipped(`${level().groups[g].number} ${nameOf(level().groups[g])}`, 40),
        }),
      ),
    );
    sheet.group = "";
  }
  body.append(
    make(
      "div",
      { class: "tools" },
      filter,
      group,
      count,
      make("span", { class: "buttons" }, previous, following),
      make("button", {
        type: "button",
        id: "save-samples",
        text: "Save CSV",
        onclick: () => {
          wanted();
          saveSamples(rows, "clusters.csv");
        },
      }),
    ),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Samples" }, table),
  );
  let stale = true;
  const open = () => {
    if ($("samples").open && stale) {
      stale = false;
      options();
      fill();
    }
  };
  $("samples").addEventListener("toggle", open);
  watchers.push((what) => {
    if (what.has("level") || what.has("names") || what.has("chosen") || what.has("theme")) {
      stale = true;
      open();
    }
  });
}
