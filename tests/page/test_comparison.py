"""The page of a comparison: complete, safe, and readable by machines."""

import re

import numpy as np
import pytest

from mvgraph import compare_labels
from mvgraph.page.comparison import render, write_comparison

pytestmark = pytest.mark.slow


def two(k, m, n=300):
    rng = np.random.default_rng(0)
    return rng.integers(0, k, n), rng.integers(0, m, n)


@pytest.mark.parametrize(("k", "m"), [(1, 1), (3, 5), (70, 60)])
def test_page_of_any_number_of_clusters(k, m, tmp_path):
    pytest.importorskip("jinja2")
    found = compare_labels(*two(k, m), names=("old", "new"))
    size = write_comparison(found, tmp_path / "c.html")
    page = (tmp_path / "c.html").read_text("utf-8")
    assert size == len(page.encode())
    assert size < 2_000_000
    assert page.count("<svg") == 2
    assert found.changes[0] in page
    assert ("too large" in page) == (max(k, m) > 40)
    assert "<script" not in page


def test_names_are_text_not_html():
    pytest.importorskip("jinja2")
    labels = np.array(["<b>x</b>", "&", "y" * 200])[np.arange(60) % 3]
    found = compare_labels(labels, labels, names=("<script>1</script>", "b"))
    page = render(found)
    assert "<script>" not in page
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page


@pytest.mark.browser
@pytest.mark.parametrize("width", [1440, 390])
def test_page_is_accessible_and_fits(width, tmp_path):
    from axe_core_python.selenium import Axe
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", f"--window-size={width},900"):
        options.add_argument(argument)
    found = compare_labels(*two(5, 6), names=("old", "new"))
    write_comparison(found, tmp_path / "c.html")
    with webdriver.Chrome(options=options) as driver:
        for theme in ("light", "dark"):
            scheme = {"name": "prefers-color-scheme", "value": theme}
            media = {"features": [scheme]}
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            metrics = {"width": width, "height": 900, "deviceScaleFactor": 1}
            metrics["mobile"] = width < 600
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            driver.get((tmp_path / "c.html").as_uri())
            root = "document.documentElement"
            wide = driver.execute_script(f"return {root}.scrollWidth")
            assert wide <= width
            # names in pictures are described; the policy lets no script of axe in
            assert driver.get_log("browser") == []
            bare = re.sub(r"<meta http-equiv[^>]*>", "", driver.page_source)
            (tmp_path / "bare.html").write_text(bare)
            driver.get((tmp_path / "bare.html").as_uri())
            assert Axe().run(driver)["violations"] == []
