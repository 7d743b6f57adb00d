"""The report in a real browser. Skips where there is none."""

import pytest

from bench_data import some_records
from chromium import prefer, screen, violations
from data import planted
from mvgraph import MGL, Views
from mvgraph.bench import artefacts, report

pytestmark = [
    pytest.mark.browser,
    # sockets that the driver leaves to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    views, y = planted(centres="axes")
    views = Views(views)
    records = some_records()
    model = MGL(3, random_state=0).fit(views)
    records[2]["artefacts"] = artefacts.collect(model, views, y)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report.render(records), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, page):
    browser.get(page.as_uri())
    return browser


def find(browser, selector):
    return browser.find_element("css selector", selector)


def column(browser, table, index):
    script = (
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
        ".map(row => row.cells[arguments[1]].firstChild.textContent.trim())"
    )
    return browser.execute_script(script, table, index)


def test_it_opens_without_a_message_on_the_console(opened):
    assert opened.title.startswith("mvgraph: ")
    assert opened.get_log("browser") == []
    assert opened.find_elements("css selector", "svg[role=img]")


def test_no_picture_is_broken(opened):
    """Images within the charts have the size of their pixels, none is refused."""
    sizes = opened.execute_async_script(IMAGES)
    assert sizes
    assert all(sizes)


IMAGES = """
const done = arguments[0];
Promise.all([...document.querySelectorAll("svg image")].map((e) =>
  new Promise((good) => {
    const i = new Image();
    i.onload = () => good(i.naturalWidth); i.onerror = () => good(0);
    i.src = e.getAttribute("href");
  }))).then(done);
"""


def test_charts_have_names_and_drawn_marks(opened):
    found = opened.execute_script(
        "return [...document.querySelectorAll('svg')].map(e => [e.getAttribute('role'),"
        "e.getAttribute('aria-label'), e.getBoundingClientRect().width])"
    )
    assert len(found) > 20
    for role, name, _ in found:
        assert role == "img"
        assert len(name) > 10


def test_a_policy_stops_what_is_not_in_the_page(opened):
    script = """
    const s = document.createElement("script"); s.textContent = "window.evil = 1";
    document.body.append(s);
    document.body.insertAdjacentHTML("beforeend", "<p id='e' style='color: red'>");
    const e = document.getElementById("e");
    return [window.evil === undefined, getComputedStyle(e).color];
    """
    stopped, colour = opened.execute_script(script)
    assert stopped
    assert colour != "rgb(255, 0, 0)"
    assert any(
        "Content Security Policy" in m["message"] for m in opened.get_log("browser")
    )


def test_sorting_by_mouse_and_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    table = "#scores-msrc-v5"
    before = column(opened, table, 0)
    head = find(opened, f"{table} thead th:nth-child(2)")
    button = head.find_element("css selector", "button")
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    *values, last = column(opened, table, 1)
    assert last == "failed"
    assert values == sorted(values, reverse=True)
    button.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "ascending"
    *values, last = column(opened, table, 1)
    assert last == "failed"
    assert values == sorted(values)
    assert column(opened, table, 0) != before
    find(opened, f"{table} thead th:first-child button").click()
    names = column(opened, table, 0)
    assert names == sorted(names)


def test_sorting_leaves_empty_cells_last(opened):
    table = "#paper-msrc-v5"
    button = find(opened, f"{table} thead th:nth-child(2) button")
    for _ in range(2):
        button.click()
        texts = column(opened, table, 1)
        empty = [text == "\N{EN DASH}" for text in texts]
        assert any(empty)
        assert empty == sorted(empty)


def test_hover_tells_what_a_mark_is(opened):
    from selenium.webdriver.common.action_chains import ActionChains

    mark = find(opened, ".embedding svg [data-tip]")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
    ActionChains(opened).pause(0.3).move_to_element(mark).perform()
    tip = find(opened, "#tip")
    assert tip.is_displayed()
    assert tip.text.startswith("row ")
    assert "cluster" in tip.text


def test_arrow_keys_walk_through_a_chart(opened):
    from selenium.webdriver.common.keys import Keys

    chart = find(opened, "#ranks svg")
    opened.execute_script("arguments[0].focus()", chart)
    chart.send_keys(Keys.ARROW_RIGHT)
    first = find(opened, "#tip").text
    chart.send_keys(Keys.ARROW_RIGHT)
    second = find(opened, "#tip").text
    assert "rank" in first
    assert "rank" in second
    assert first != second
    chart.send_keys(Keys.ESCAPE)
    assert not find(opened, "#tip").is_displayed()


def test_reasons_are_shown_on_focus(opened):
    cell = find(opened, "#paper-msrc-v5 .void")
    opened.execute_script("arguments[0].focus()", cell)
    assert "copied from the row of SMSC" in find(opened, "#tip").text


def test_csv_is_downloaded(opened, downloads):
    from selenium.webdriver.support.ui import WebDriverWait

    link = find(opened, "#scores-msrc-v5 .files a[download$='.csv']")
    opened.execute_script("arguments[0].click()", link)
    target = downloads / "scores-msrc-v5.csv"
    WebDriverWait(opened, 20).until(lambda _: target.exists())
    head = target.read_text().splitlines()[0]
    assert head.startswith("method,ACC,ACC std,NMI,NMI std")


def test_theme(opened):
    script = "return getComputedStyle(document.body).backgroundColor"
    before = opened.execute_script(script)
    find(opened, "#theme").click()
    assert opened.execute_script(script) != before


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(opened, dark):
    """Every text reaches 4.5 to 1 against its ground, in both themes (WCAG AA)."""
    prefer(opened, dark)
    found = opened.execute_script(CONTRAST)
    assert len(found) > 100
    worst = min(found, key=lambda item: item[0])
    assert worst[0] >= 4.5, worst


CONTRAST = r"""
const parts = (c) => c.match(/[\d.]+/g).map(Number);
const light = (c) => parts(c).slice(0, 3).map((v) => v / 255)
  .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (parts(c)[3] !== 0) return c;
  }
  return "rgb(255, 255, 255)";
};
return [...document.querySelectorAll("body *")]
  .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
  .filter((e) => !["SCRIPT", "STYLE"].includes(e.tagName) && e.id !== "tip")
  .map((e) => {
    const style = getComputedStyle(e);
    const ink = e.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(ink), light(ground(e))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), e.outerHTML.slice(0, 120)];
  });
"""


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violation(opened, dark):
    """The rules of axe-core: names, roles, order of headings, contrast, and others."""
    prefer(opened, dark)
    assert violations(opened) == []


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_it_fits_the_screen(opened, width):
    """Nothing is wider than the screen, and words in charts can be read."""
    screen(opened, width, 740)
    try:
        script = "return document.documentElement.scrollWidth"
        assert opened.execute_script(script) <= width
        outside, least = opened.execute_script(WORDS)
        assert outside == []
        assert least >= 8.5
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


WORDS = """
const outside = [], sizes = [];
for (const svg of document.querySelectorAll("figure svg")) {
  const box = svg.getBoundingClientRect();
  if (!box.width) continue;
  for (const t of svg.querySelectorAll("text")) {
    const own = t.getBoundingClientRect();
    if (own.left < box.left - 3 || own.right > box.right + 3) outside.push(t.outerHTML);
    sizes.push(parseFloat(getComputedStyle(t).fontSize) * box.width
      / svg.viewBox.baseVal.width);
  }
}
return [outside, Math.min(...sizes)];
"""
