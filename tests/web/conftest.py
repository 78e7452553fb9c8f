"""Fixtures: one browser and one service for all of these tests, a window for each."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from tests.service import Service
from tests.web.browser import open_browser
from tests.web.visitor import Visit, Visitor, open_visitor


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium. It ends with this package: its loop would be in others' way."""
    expect.set_options(timeout=30_000)  # a busy machine's patience
    with open_browser() as started:
        yield started


@pytest.fixture(scope="package")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running service; the page uses the interface alone, so one kind of database will do."""
    with Service(tmp_path_factory.mktemp("shop")) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, shop: Service) -> Iterator[Visit]:
    """Opens windows; none of them may have found a fault of the page at the end."""
    opened: list[Visitor] = []
    with ExitStack() as stack:

        def visit_service(service: Service = shop, **options: object) -> Visitor:
            visitor = stack.enter_context(open_visitor(browser, service, **options))
            opened.append(visitor)
            return visitor

        yield visit_service
        for visitor in opened:
            assert visitor.faults == []


@pytest.fixture
def owner(shop: Service, store: str) -> str:
    """A token of the store's owner."""
    return shop.make_token(store, f"owner-of-{store}")
