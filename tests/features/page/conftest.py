"""Fixtures: one browser and one service for all tests of the page, and the tabs that they share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.features.page.browser import OpenPage, Tabs, open_browser, opening_pages
from tests.features.page.page_driver import PageDriver
from tests.service import Service


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rerun a failed browser test once, and report the rerun: a busy machine delays its keys."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="package")
def tabs() -> Iterator[Tabs]:
    """The browser's tabs, closed after this package: its event loop would disturb other tests."""
    expect.set_options(timeout=30_000)  # for a busy machine
    with open_browser() as browser:
        yield Tabs(browser)


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running service; the page uses only the interface, so one kind of database is enough."""
    with Service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def open_page(tabs: Tabs, service: Service) -> Iterator[OpenPage]:
    """Opens tabs, and fails at the end of the test if a tab had an error."""
    with opening_pages(tabs, service) as open_tab:
        yield open_tab


@pytest.fixture
def owner(service: Service, store: str) -> str:
    return service.make_token(store, f"owner-of-{store}")


@pytest.fixture
def driver(open_page: OpenPage, store: str, owner: str) -> PageDriver:
    """A tab, not yet open, for the owner of an empty store."""
    driver = open_page()
    driver.store, driver.owner = store, owner
    return driver
