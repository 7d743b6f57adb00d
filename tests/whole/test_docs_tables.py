"""The script of the documentation: tables are sorted, and say that they go on."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
STATIC = Path(__file__).resolve().parents[2] / "docs" / "_static"
DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
ROWS = [
    ("b", ".5", "9"),
    ("a", ".75", DASH),
    ("c", f"{MINUS}.1", "10"),
    ("d", "1,200", "2"),
]


@pytest.fixture(scope="module")
def driver():
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--window-size=500,600"):
        options.add_argument(argument)
    with webdriver.Chrome(options=options) as driver:
        yield driver


@pytest.fixture
def table(driver, tmp_path):
    cells = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in ROWS)
    head = "<tr><th><p>name</p></th><th><p>x</p></th><th><p>y</p></th></tr>"
    style = (STATIC / "extra.css").read_text()
    script = (STATIC / "tables.js").read_text()
    (tmp_path / "t.html").write_text(
        f"<!doctype html><meta charset=utf-8><style>{style}</style><script>{script}"
        f"</script><article class=bd-article><table><thead>{head}</thead><tbody>{cells}"
        "</tbody></table></article>",
        encoding="utf-8",
    )
    driver.get((tmp_path / "t.html").as_uri())

    def column(i):
        script = f"return [...document.querySelectorAll('td:nth-child({i})')]"
        return driver.execute_script(f"{script}.map((cell) => cell.textContent)")

    return driver, column


def test_numbers_are_sorted_as_numbers_and_holes_stay_last(table):
    from selenium.webdriver.common.by import By

    driver, column = table
    name, x, y = driver.find_elements(By.CSS_SELECTOR, "th > button")
    x.click()
    assert column(2) == ["1,200", ".75", ".5", f"{MINUS}.1"]
    x.click()
    assert column(2) == [f"{MINUS}.1", ".5", ".75", "1,200"]
    for _ in range(2):
        y.send_keys(" ")  # by keyboard as well
        assert column(3)[-1] == DASH
    assert column(3) == ["2", "9", "10", DASH]
    name.click()
    assert column(1) == ["a", "b", "c", "d"]
    heads = driver.find_elements(By.CSS_SELECTOR, "th[aria-sort]")
    assert [head.get_attribute("aria-sort") for head in heads] == ["ascending"]


def test_a_cut_table_says_that_it_goes_on(table):
    driver, _ = table
    hint = "return getComputedStyle(document.querySelector('.cut > p')).display"
    assert driver.execute_script(hint) == "none"
    wide = "document.querySelectorAll('td').forEach((c) => c.style.minWidth = '400px')"
    driver.execute_script(wide)
    later = (
        "const done = arguments[0]; {}setTimeout(() => done((() => {{ {} }})()), 300)"
    )
    assert driver.execute_async_script(later.format("", hint)) == "block"
    cut = "return document.querySelector('.cut').className"
    assert driver.execute_script(cut) == "cut wide more"
    end = "document.querySelector('table').scrollLeft = 9999;"
    assert driver.execute_async_script(later.format(end, cut)) == "cut wide"
