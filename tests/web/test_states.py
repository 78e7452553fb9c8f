"""Every state of the page, on a phone and on desktops, light and dark: axe has no complaint.

``make picture`` has each of them pictured too, in ``.screenshots``.
"""

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import ViewportSize

from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver
from tests.web.states.setup import STATES

FOLDER = Path(__file__).parents[2] / ".screenshots"
HAS_PICTURES = "PLANTSTORE_PICTURES" in os.environ
# A state is made on a phone, which folds some of the page away; a wider window shows that again.
PHONE: ViewportSize = {"width": 390, "height": 800}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
WIDE: ViewportSize = {"width": 1920, "height": 1080}
VIOLATIONS = {"resultTypes": ["violations"]}


@pytest.fixture
def driver(open_page: OpenPage, store: str, owner: str) -> PageDriver:
    """A page on a phone that is not open yet, of an empty store."""
    opened = open_page(viewport=PHONE, reduced_motion="reduce", color_scheme="dark")
    opened.store, opened.owner = store, owner
    return opened


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_fit_for_everybody(driver: PageDriver, state: str) -> None:
    driver.page.emulate_media(color_scheme="dark")
    STATES[state](driver)
    assert overflow(driver) <= 0
    assert_no_violations(driver)
    take_pictures(driver, f"{state}-phone")
    driver.page.set_viewport_size(DESKTOP)
    driver.page.emulate_media(color_scheme="light")
    assert overflow(driver) <= 0
    assert_no_violations(driver)
    take_pictures(driver, f"{state}-desktop")
    driver.page.set_viewport_size(WIDE)
    assert overflow(driver) <= 0
    take_pictures(driver, f"{state}-wide")


def assert_no_violations(driver: PageDriver, selector: str = "html") -> None:
    """Axe finds nothing, in the page or in a part of it."""
    found = Axe().run(driver.page, selector, options=VIOLATIONS)
    assert found.violations_count == 0, found.generate_report()


def overflow(driver: PageDriver) -> int:
    """By how many pixels the page is wider than its window."""
    wide: int = driver.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide


def take_pictures(driver: PageDriver, name: str) -> None:
    """Keep pictures of the page, in both schemes, where they were asked for."""
    for scheme in ("light", "dark") if HAS_PICTURES else ():
        driver.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        driver.page.screenshot(path=FOLDER / f"{name}-{scheme}.png")
