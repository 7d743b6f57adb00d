"""The page of clusters in a real browser. Skips where there is none."""

import csv
import io
from xml.etree import ElementTree

import numpy as np
import pytest

from chromium import prefer, screen, violations
from data import planted
from mvgraph import GraphConsensus, Views, methods, write_page

pytestmark = [
    pytest.mark.browser,
    # sockets that the driver leaves to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
NAME = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    arrays, _ = planted(n=240, k=4, dims=(5, 6), spread=8)
    names = [f"s{i:03d}" for i in range(239)] + [NAME]
    features = [[f"f{v}{j}" for j in range(x.shape[1])] for v, x in enumerate(arrays)]
    views = Views(arrays, ["first", "second"], names, features)
    model = GraphConsensus(4, random_state=0).fit(views)
    path = tmp_path_factory.mktemp("page") / "clusters.html"
    place = np.where(np.arange(240) % 2, "north", "south")
    write_page(model, views, path, metadata={"place": place}, name="made")
    return path


@pytest.fixture(params=[1440, 390])
def opened(browser, page, request):
    yield from open_at(browser, page, request.param)


@pytest.fixture
def desktop(browser, page):
    yield from open_at(browser, page, 1440)


def open_at(browser, page, width):
    screen(browser, width)
    prefer(browser, dark=False)
    browser.get(page.as_uri())
    wait(browser, "return document.documentElement.dataset.ready")
    yield browser
    assert [m for m in browser.get_log("browser") if m["level"] == "SEVERE"] == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def wait(browser, script, *values):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 20).until(lambda b: b.execute_script(script, *values))


def find(browser, selector):
    return browser.find_element("css selector", selector)


def saved(downloads, name, press):
    from selenium.webdriver.support.ui import WebDriverWait

    target = downloads / name
    target.unlink(missing_ok=True)
    press()
    WebDriverWait(None, 20).until(lambda _: target.exists() and target.stat().st_size)
    return target


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def press(browser, key):
    from selenium.webdriver.common.keys import Keys

    browser.switch_to.active_element.send_keys(getattr(Keys, key, key))


def test_it_opens_without_a_message(opened):
    assert opened.get_log("browser") == []
    assert opened.title == "4 groups in made"
    assert len(opened.find_elements("css selector", ".card")) == 4
    drawn = opened.execute_script(
        "const c = document.getElementById('dots');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "return new Set(new Uint32Array(d.buffer)).size"
    )
    assert drawn > 20  # dots of four colours, with soft edges


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violation(opened, dark):
    prefer(opened, dark)
    opened.execute_script("for (const d of document.querySelectorAll('details'))"
                          "d.open = true")  # fmt: skip
    assert violations(opened) == []


def test_it_fits_the_screen(opened):
    opened.execute_script("for (const d of document.querySelectorAll('details'))"
                          "d.open = true")  # fmt: skip
    wide, shown = opened.execute_script(
        "return [document.documentElement.scrollWidth, innerWidth]"
    )
    assert wide <= shown


def test_hover_tells_what_a_dot_is(desktop):
    from selenium.webdriver.common.action_chains import ActionChains

    canvas = find(desktop, "#dots")
    desktop.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    spot = desktop.execute_script(SOME_DOT)
    ActionChains(desktop).pause(0.3).move_to_element_with_offset(
        canvas, *spot
    ).perform()
    tip = find(desktop, "#tip")
    assert tip.is_displayed()
    assert "group" in tip.text
    assert "place" in tip.text


#: Where a dot is, from the centre of the map: the darkest spot near the middle.
SOME_DOT = """
const c = document.getElementById('dots'), r = c.width / c.clientWidth;
const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
let best = null, least = 1e9;
for (let y = 0; y < c.height; y++) for (let x = 0; x < c.width; x++) {
  const at = 4 * (y * c.width + x), light = d[at] + d[at + 1] + d[at + 2];
  if (light > 540) continue;
  const far = Math.hypot(x - c.width / 2, y - c.height / 2);
  if (far >= least) continue;
  least = far;
  best = [x / r - c.clientWidth / 2, y / r - c.clientHeight / 2];
}
return best.map(Math.round);
"""


def test_a_lasso_chooses_and_saves(desktop, downloads):
    from selenium.webdriver.common.action_chains import ActionChains

    canvas = find(desktop, "#dots")
    desktop.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    find(desktop, "#lasso").click()
    w, h = canvas.size["width"] // 2 - 5, canvas.size["height"] // 2 - 5
    chain = ActionChains(desktop).move_to_element_with_offset(canvas, -w, -h)
    chain = chain.click_and_hold()
    for x, y in ((w, -h), (w, h), (-w, h)):
        chain = chain.move_to_element_with_offset(canvas, x, y)
    chain.release().perform()
    panel = find(desktop, "#chosen")
    assert panel.is_displayed()
    assert panel.text.startswith("240 chosen")
    path = saved(downloads, "chosen.csv", find(desktop, "#save-chosen").click)
    found = rows(path)
    assert len(found) == 240
    assert {row["place"] for row in found} == {"north", "south"}
    assert NAME in {row["id"] for row in found}


def test_search_finds_a_sample_by_its_name(opened):
    box = find(opened, "#find")
    box.send_keys("s01")
    assert len(opened.find_elements("css selector", "#found button")) == 8
    box.clear()
    box.send_keys("onerror")
    assert len(opened.find_elements("css selector", "#found button")) == 1
    press(opened, "ENTER")
    assert NAME in find(opened, "#tip").text
    assert NAME in find(opened, "#said").get_attribute("textContent")


def test_names_are_changed_and_saved(desktop, downloads):
    from selenium.webdriver.common.keys import Keys

    box = find(desktop, ".card .name")
    number = box.get_attribute("id").removeprefix("name-")
    box.send_keys(Keys.CONTROL, "a")
    box.send_keys('my "own", name')
    press(desktop, "ENTER")
    labels = find(desktop, "#labels").text
    assert 'my "own", name' in labels
    other = desktop.find_elements("css selector", ".card .name")[1]
    before = other.get_attribute("value")
    other.send_keys(Keys.CONTROL, "a")
    other.send_keys('my "own", name')
    press(desktop, "ENTER")  # a name that another group has is not taken
    assert "every group needs its own name" in other.get_attribute("validationMessage")
    other.send_keys(Keys.CONTROL, "a")
    other.send_keys(before)
    press(desktop, "ENTER")
    button = find(desktop, "#save-names")
    path = saved(
        downloads,
        "names.csv",
        lambda: desktop.execute_script("arguments[0].click()", button),
    )
    assert {row["cluster"]: row["name"] for row in rows(path)}[
        number
    ] == 'my "own", name'
    find(desktop, "#samples > summary").click()
    path = saved(downloads, "clusters.csv", find(desktop, "#save-samples").click)
    names = {row["label"]: row["name"] for row in rows(path)}
    assert names[number] == 'my "own", name'


def test_a_page_with_new_names_can_be_saved(browser, page, downloads):
    from selenium.webdriver.common.keys import Keys

    opened = next(at := open_at(browser, page, 1440))
    name = "</script><script>document.title = 'evil'</script>"
    box = find(opened, ".card .name")
    box.send_keys(Keys.CONTROL, "a")
    box.send_keys(name, Keys.ENTER)
    button = find(opened, "#save-page")
    opened.execute_script("arguments[0].scrollIntoView()", button)
    path = saved(downloads, "clusters.html", button.click)
    assert next(at, None) is None
    opened = next(at := open_at(browser, path, 1440))
    assert opened.title == "4 groups in made"
    assert find(opened, ".card .name").get_attribute("value") == name
    assert next(at, None) is None


def test_the_slider_changes_cards_and_map(opened):
    slider = find(opened, "#level-range")
    before = len(opened.find_elements("css selector", ".card"))
    slider.send_keys("\ue012")  # left
    after = len(opened.find_elements("css selector", ".card"))
    assert after < before


def test_the_map_by_keys(desktop):
    canvas = find(desktop, "#dots")
    desktop.execute_script("arguments[0].focus()", canvas)
    press(desktop, "ARROW_RIGHT")
    first = find(desktop, "#said").get_attribute("textContent")
    press(desktop, "ARROW_RIGHT")
    second = find(desktop, "#said").get_attribute("textContent")
    assert "group" in first
    assert first != second
    press(desktop, "g")
    assert len(desktop.find_elements("css selector", ".card.lifted")) == 1
    press(desktop, " ")
    assert find(desktop, "#chosen").is_displayed()
    press(desktop, "ESCAPE")
    assert not find(desktop, "#chosen").is_displayed()


def touch(browser, kind, *points):
    where = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
    browser.execute_cdp_cmd(
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": where}
    )


def test_a_phone_taps_pinches_and_draws(browser, page):
    """A tap shows a dot, two fingers zoom, and with the lasso one finger chooses."""
    opened = next(at := open_at(browser, page, 390))
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    canvas = find(opened, "#dots")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    x, y, w, h = opened.execute_script(
        "const b = arguments[0].getBoundingClientRect();"
        "return [b.left, b.top, b.width, b.height]",
        canvas,
    )
    spot = opened.execute_script(SOME_DOT)
    touch(opened, "touchStart", (x + w / 2 + spot[0], y + h / 2 + spot[1]))
    touch(opened, "touchEnd")
    assert "group" in find(opened, "#tip").text
    labels = (
        "return [...document.querySelectorAll('.label')].map(e => e.style.transform)"
    )
    before = opened.execute_script(labels)
    mid = (x + w / 2, y + h / 2)
    touch(opened, "touchStart", (mid[0] - 30, mid[1]), (mid[0] + 30, mid[1]))
    for far in (50, 70, 90):
        touch(opened, "touchMove", (mid[0] - far, mid[1]), (mid[0] + far, mid[1]))
    touch(opened, "touchEnd")
    wait(opened, f"return ({labels.removeprefix('return ')}).join() !== arguments[0]",
         ",".join(before))  # fmt: skip
    find(opened, "#whole").click()
    wait(opened, f"return ({labels.removeprefix('return ')}).join() === arguments[0]",
         ",".join(before))  # fmt: skip
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    find(opened, "#lasso").click()
    corners = [(4, 4), (w - 4, 4), (w - 4, h - 4), (4, h - 4)]
    x, y = opened.execute_script(
        "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top]", canvas
    )
    touch(opened, "touchStart", (x + 4, y + 4))
    for a, b in corners[1:]:
        touch(opened, "touchMove", (x + a, y + b))
    touch(opened, "touchEnd")
    assert find(opened, "#chosen").text.startswith("240 chosen")
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert next(at, None) is None


def test_cells_of_the_heat_map_open_a_distribution(desktop):
    opened = desktop
    opened.execute_script("document.getElementById('heat').open = true")
    cell = wait(opened, "return document.querySelector('.cell')")
    opened.execute_script("arguments[0].focus()", cell)
    press(opened, "ARROW_RIGHT")
    press(opened, "ARROW_DOWN")
    press(opened, "ENTER")
    feature = opened.execute_script("return document.activeElement.dataset.feature")
    assert feature is not None
    assert find(opened, "#spread svg").get_attribute("aria-label").startswith("Distrib")


def test_branches_of_the_tree_can_be_opened(desktop):
    desktop.execute_script("document.getElementById('tree').open = true")
    node = wait(desktop, "return document.querySelector('[data-node]')")
    desktop.execute_script("arguments[0].focus()", node)
    press(desktop, "ENTER")
    assert " chosen" in find(desktop, "#chosen").text


@pytest.mark.parametrize("width", [390, 1440])
def test_names_on_the_map_do_not_overlap(browser, tmp_path, width):
    """With 60 groups of long names, in scripts of both directions."""
    rng, k = np.random.default_rng(0), 60
    of = np.arange(1200) % k
    x = rng.normal(size=(k, 8))[of] * 6 + rng.normal(size=(1200, 8))
    names = [
        f"{'long ' * 40}{j}" if j % 2 else f"\u05d0\u05d1\u05d2 {j}" for j in range(8)
    ]
    views = Views([x], feature_names=[names])
    model = GraphConsensus(k, random_state=0).fit(views)
    path = tmp_path / "many.html"
    write_page(model, views, path)
    opened = next(at := open_at(browser, path, width))
    boxes = np.array(opened.execute_script(BOXES))
    assert len(boxes) > 5
    for i, (a, b, c, d) in enumerate(boxes):
        others = np.delete(boxes, i, axis=0)
        apart = (others[:, 0] >= c) | (others[:, 2] <= a)
        assert (apart | (others[:, 1] >= d) | (others[:, 3] <= b)).all()
    assert opened.execute_script(
        "return document.documentElement.scrollWidth <= innerWidth"
    )
    assert next(at, None) is None


def odd_cases():
    """Models of little, or odd, data: two samples, one group, no tree, no view."""
    rng = np.random.default_rng(0)
    arrays, _ = planted(n=60, k=3, spread=8)
    lacking = [x.copy() for x in arrays]
    lacking[0][:9] = np.nan
    yield methods.get("graph-consensus").make(2, 0), [rng.normal(size=(2, 3))]
    yield GraphConsensus(random_state=0), [rng.normal(size=(200, 4))]
    yield methods.get("kmeans-concat").make(3, 0), arrays
    yield methods.get("anchor-filter").make(3, 0), arrays
    yield GraphConsensus(random_state=0), lacking
    yield GraphConsensus(random_state=0), [arrays[0], np.zeros((60, 2))]


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_pages_of_odd_data_open(browser, tmp_path):
    for i, (model, arrays) in enumerate(odd_cases()):
        views = Views(arrays)
        path = tmp_path / f"{i}.html"
        write_page(model.fit(views), views, path)
        opened = next(at := open_at(browser, path, 1440))
        opened.execute_script(
            "for (const d of document.querySelectorAll('details')) d.open = true;"
            "const s = document.getElementById('colour-by');"
            "for (const o of s.options) {"
            " s.value = o.value; s.dispatchEvent(new Event('change')); }"
        )
        wait(opened, "return document.querySelector('#samples-body tbody tr')")
        assert next(at, None) is None


BOXES = """
return [...document.querySelectorAll('.label:not([hidden])')].map((e) => {
  const b = e.getBoundingClientRect();
  return [b.left, b.top, b.right, b.bottom];
});
"""


def test_figures_are_saved(desktop, downloads):
    """Every figure, as SVG that is well formed whatever the names, and as PNG."""
    from selenium.webdriver.common.keys import Keys

    box = find(desktop, ".card .name")
    box.send_keys(Keys.CONTROL, "a")
    box.send_keys(NAME + " & ]]> &amp; '", Keys.ENTER)
    desktop.execute_script(
        "for (const d of document.querySelectorAll('details')) d.open = true"
    )
    wait(desktop, "return document.querySelector('#views svg')")
    names = desktop.execute_script(
        "return [...new Set([...document.querySelectorAll('[data-figure]')]"
        ".map(e => e.dataset.figure))]"
    )
    assert {"map", "tree", "heat", "distribution", "view-0"} <= set(names)
    for name in names:
        for kind in ("svg", "png"):
            button = find(desktop, f"[data-figure={name}][data-as={kind}]")
            path = saved(
                downloads,
                f"clusters-{name}.{kind}",
                lambda button=button: desktop.execute_script(
                    "arguments[0].click()", button
                ),
            )
            if kind == "png":
                assert path.read_bytes()[:4] == b"\x89PNG"
                continue
            text = path.read_text("utf-8")
            assert ElementTree.fromstring(text).tag.endswith("svg")
            assert "<img" not in text
