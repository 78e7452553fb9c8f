"""Deleting many: it can be stopped, and when it fails one learns what is left and goes on."""

import re
from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Dialog, Route, expect

from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Held, Visit, Visitor, list_all, plant

FAILED = '{"error": 50001, "message": "the service failed"}'


@pytest.fixture
def visitor(visit: Visit, shop: Service, store: str, owner: str) -> Visitor:
    """A visitor at a list of 120 plants."""
    fill_store(shop, store, 120)
    visitor = visit().sign_in(owner)
    visitor.counts("120 plants")
    return visitor


def delete_all(visitor: Visitor) -> None:
    visitor["#grid"].press("Control+a")
    visitor["#grid"].press("Delete")
    visitor["#confirm [value=yes]"].click()


@pytest.fixture
def running(visitor: Visitor) -> Iterator[Held]:
    """All of them are being deleted, and the first answers are waited for."""
    held = visitor.hold("**/plants/*")
    delete_all(visitor)
    visitor.until(lambda: held.routes)
    yield held
    held.let_go()


def test_what_failed_is_counted_and_stays_selected(
    visitor: Visitor, shop: Service, owner: str
) -> None:
    asked = count()

    def answer(route: Route) -> None:
        if next(asked) < 40:
            route.continue_()
        else:
            route.fulfill(status=500, body=FAILED, content_type="application/json")

    visitor.page.route("**/plants/*", answer)
    delete_all(visitor)
    visitor.sees("80 plants were not deleted", "#toasts")
    expect(visitor["#toasts"]).to_contain_text(re.compile(r"Deleted 40\b"))
    visitor.counts("80 plants")
    visitor.sees("80 selected", "#selection")
    assert len(list_all(shop, owner)) == 80


def test_a_delete_of_many_is_stopped(
    visitor: Visitor, shop: Service, owner: str, running: Held
) -> None:
    stop = visitor["#toasts"].get_by_role("button", name="Stop")
    stop.click()
    running.let_go()
    expect(stop).to_have_count(0)
    visitor.rest()
    assert len(list_all(shop, owner)) > 60


def test_a_stop_ends_the_tries_too(visitor: Visitor, shop: Service, owner: str) -> None:
    for pattern in ("**/plants/*", "**/livez"):
        visitor.page.route(pattern, lambda route: route.abort())
    delete_all(visitor)
    expect(visitor["#offline"]).to_be_visible()
    visitor["#toasts"].get_by_role("button", name="Stop").click()
    visitor.page.unroute("**/plants/*")
    visitor.sees("120 plants were not deleted", "#toasts")
    expect(visitor["#rows .leaving"]).to_have_count(0)
    assert len(list_all(shop, owner)) == 120


@pytest.mark.usefixtures("running")
def test_leaving_while_many_are_deleted_is_asked_about(visitor: Visitor) -> None:
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    visitor.page.on("dialog", accept)
    visitor.page.reload()
    assert asked == ["beforeunload"]


def test_an_undo_that_failed_is_tried_again(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"}, {"id": 2, "name": "Aloe"})
    visitor = visit().sign_in(owner)
    visitor.page.get_by_role("button", name="Delete Fern").click()
    visitor.sees("Deleted Fern", "#toasts")
    visitor.answer("**/plants", 500, FAILED)
    visitor.undo()
    visitor.sees("Fern was not put back", "#toasts")
    visitor.page.unroute("**/plants")
    visitor["#toasts"].get_by_role("button", name="Try again").click()
    visitor.sees("Fern is back", "#toasts")
    assert len(list_all(shop, owner)) == 2
