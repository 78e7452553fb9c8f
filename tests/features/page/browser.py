"""The browser of the tests, the system's Chromium, and its tabs.

Opening a tab takes four times the CPU time of loading a page: tests with equal options share tabs.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.features.page.page_driver import PageDriver
from tests.service import Service

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
# The first choice takes half the CPU time of the others.
_BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
# A container has few rights and a small /dev/shm.
# One process for all pages of a service, in any tab, saves each test the start of a process.
_ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--process-per-site"]


class OpenPage(Protocol):
    """Opens a tab for a service, with context options; later tests reuse ``shared`` tabs."""

    def __call__(
        self, service: Service = ..., *, shared: bool = True, **options: object
    ) -> PageDriver:
        """The driver of the tab."""


class Tabs:
    """The free tabs, by their options."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[Page]] = {}

    def open(self, service: Service, options: dict[str, Any], *, shared: bool = True) -> PageDriver:
        """A free tab with these options, or a new tab."""
        free = shared and self._free.get(repr(options))
        driver = PageDriver(free.pop() if free else self._make(options), service)
        driver.is_reusable = shared
        return driver

    def give_back(self, driver: PageDriver, options: dict[str, Any]) -> None:
        if not driver.is_reusable:
            driver.page.context.close()
            return
        driver.reset()
        viewport = options.get("viewport", DESKTOP)
        if driver.page.viewport_size != viewport:
            driver.page.set_viewport_size(viewport)
        self._free.setdefault(repr(options), []).append(driver.page)

    def _make(self, options: dict[str, Any]) -> Page:
        defaults = {"viewport": DESKTOP, "locale": "en-GB", "reduced_motion": "reduce"}
        context = self._browser.new_context(**defaults | options)
        context.set_default_timeout(30_000)
        return context.new_page()


@contextmanager
def open_browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    assert path is not None, f"missing: {' or '.join(_BROWSERS)}"
    node = shutil.which("node")
    assert node, "missing: node; make test sets it up"
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = node  # Playwright brings a Node that needs libatomic
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=_ARGUMENTS) as browser,
    ):
        yield browser


@contextmanager
def opening_pages(tabs: Tabs, default: Service) -> Iterator[OpenPage]:
    """Opens tabs for one test, and fails at its end if a tab had an error."""
    open_tabs: list[tuple[PageDriver, dict[str, Any]]] = []

    def open_page(
        service: Service = default, *, shared: bool = True, **options: object
    ) -> PageDriver:
        driver = tabs.open(service, options, shared=shared)
        open_tabs.append((driver, options))
        return driver

    try:
        yield open_page
    finally:
        errors = [error for driver, _ in open_tabs for error in driver.errors]
        for driver, options in open_tabs:
            tabs.give_back(driver, options)
    assert errors == [], errors
