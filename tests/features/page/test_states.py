"""Checks every state of the page with axe, on a phone and a desktop, dark and light.

``make picture`` also saves screenshots of each state in ``.screenshots``.
"""

import os
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe, AxeResults  # type: ignore[import-untyped]
from playwright.sync_api import ViewportSize

from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import FLOWS

FOLDER = Path(__file__).parents[3] / ".screenshots"
HAS_PICTURES = "PLANTSTORE_PICTURES" in os.environ
# Flows run on a phone, which hides some parts of the page; a wider window shows them again.
PHONE: ViewportSize = {"width": 390, "height": 800}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
WIDE: ViewportSize = {"width": 1920, "height": 1080}
SIZES = {"phone": PHONE, "desktop": DESKTOP, "wide": WIDE}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
AXE: str = Axe().axe_script
# Plain rows are all alike: checking only six saves a quarter of the time.
RUN_AXE = """async (options) => {
    const plain = ":not(.refused, .busy, .active, [aria-selected=true])";
    const exclude = [`[hidden], #rows .row${plain}:nth-child(n + 7)`];
    const defaults = { preload: false, reporter: "no-passes" };
    const { violations } = await axe.run({ exclude }, { ...defaults, ...options });
    return { violations };
}"""


@pytest.fixture
def driver(open_page: OpenPage, store: str, owner: str) -> PageDriver:
    """A tab of a phone's size, not yet open, for the owner of an empty store."""
    driver = open_page(viewport=PHONE)
    driver.store, driver.owner = store, owner
    return driver


@pytest.mark.parametrize("flow", FLOWS)
def test_each_state_is_accessible_and_fits_the_window(driver: PageDriver, flow: str) -> None:
    show(driver, PHONE, "dark")
    for state in FLOWS[flow](driver):
        assert_accessible(driver, runOnly=["color-contrast", "target-size"])
        show(driver, DESKTOP, "light")
        assert_accessible(driver)
        take_pictures(driver, state)
        show(driver, PHONE, "dark")


def show(driver: PageDriver, size: ViewportSize, scheme: Literal["dark", "light"]) -> None:
    driver.page.set_viewport_size(size)
    driver.page.emulate_media(color_scheme=scheme)


def assert_accessible(driver: PageDriver, **options: object) -> None:
    """Nothing is wider than the window, and axe finds no violation."""
    assert overflow(driver) <= 0
    if not driver.evaluate("'axe' in window"):
        driver.evaluate(AXE)
    results = driver.page.evaluate(RUN_AXE, options)
    assert results["violations"] == [], AxeResults(results).generate_report()


def overflow(driver: PageDriver) -> int:
    """By how many pixels the page is wider than the window."""
    pixels: int = driver.evaluate("document.documentElement.scrollWidth - innerWidth")
    return pixels


def take_pictures(driver: PageDriver, state: str) -> None:
    """Save screenshots of the page, if ``make picture`` asks for them."""
    for name, size in SIZES.items() if HAS_PICTURES else ():
        for scheme in SCHEMES:
            show(driver, size, scheme)
            driver.page.screenshot(path=FOLDER / f"{state}-{name}-{scheme}.png")
