"""A browser without a screen, for pages that are files."""

import shutil
from pathlib import Path

import pytest

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--window-size=1200,900"),
]


def start(profile, downloads):
    """Start Chromium; skip the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    from selenium.webdriver.chrome.service import Service

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={profile}")
    several = "profile.default_content_setting_values.automatic_downloads"
    options.add_experimental_option(
        "prefs", {"download.default_directory": str(downloads), several: 1}
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    browser.set_script_timeout(120)
    return browser


def violations(browser):
    """Return what axe-core finds: names, roles, headings, contrast and others."""
    package = pytest.importorskip("axe_core_python", reason="needs axe-core-python")
    script = (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")
    browser.execute_script(script)
    found = browser.execute_async_script("axe.run(document).then(arguments[0])")
    assert len(found["passes"]) > 20
    return [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]]


def prefer(browser, dark):
    """Set the colours that the reader prefers."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def screen(browser, width, height=844):
    """Show the page as on a screen of this width; a phone below 1000."""
    size = {"width": width, "height": height, "deviceScaleFactor": 2}
    size["mobile"] = width < 1000
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
