"""Something in between answers in the service's place: it is not believed, and its words are."""

import pytest
from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, list_all, plant

HTML = "<!doctype html><title>Sign in to the Wi-Fi</title>"
BODIES = ("null", '{"error": "Bad Gateway"}', '{"detail": 1}', '{"message": {}}', '"x"', "[]", "")
WORDS = "the server answered with status 502"


def test_an_add_that_never_arrived_is_not_told_as_done(
    visit: Visit, shop: Service, owner: str
) -> None:
    visitor = visit().sign_in(owner)
    expect(visitor["#add-id"]).to_have_value("1")
    visitor.answer("**/plants", 200, HTML, "text/html")
    visitor.add("Fern")
    visitor.sees("answered", "#add-fault")
    expect(visitor["#add-name"]).to_have_value("Fern")
    expect(visitor["#add-done"]).to_be_empty()
    expect(visitor["#state-empty"]).to_be_visible()
    visitor.page.unroute("**/plants")
    visitor["#add-button"].click()
    visitor.sees("Added Fern, id 1", "#add-done")
    assert len(list_all(shop, owner)) == 1


def test_a_delete_that_never_arrived_is_not_told_as_done(
    visit: Visit, shop: Service, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.counts("1 plant")
    visitor.answer("**/plants/*", 200, HTML, "text/html")
    visitor["#rows .remove"].click()
    visitor.sees("Fern was not deleted", "#toasts")
    expect(visitor["#toasts"]).to_contain_text("answered")
    visitor.counts("1 plant")
    assert visitor.names() == ["Fern"]


def test_an_import_that_never_arrived_is_not_told_as_done(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("a.csv", "id,name\n1,Fern\n")
    visitor.answer("**/plants", 200, HTML, "text/html")
    visitor["#import-start"].click()
    visitor.sees("0 plants imported, 1 line not imported", "#import-result")
    visitor.sees("answered", "#import-failures")


def test_a_page_is_no_list(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().open()
    visitor.answer("**/plants?*", 200, HTML, "text/html")
    visitor.sign_in(owner)
    visitor.sees("answered", "#error-text")
    visitor.page.unroute("**/plants?*")
    visitor["#retry"].click()
    visitor.counts("1 plant")


def test_a_page_is_no_user(visit: Visit, owner: str) -> None:
    visitor = visit().open()
    visitor.answer("**/me", 200, HTML, "text/html")
    visitor.give_token(owner)
    visitor.sees("answered", "#sign-in-reason")
    expect(visitor["#app"]).to_be_hidden()


@pytest.mark.parametrize("body", BODIES)
def test_a_502_is_told_whatever_is_in_it(visit: Visit, owner: str, body: str) -> None:
    visitor = visit().open()
    visitor.answer("**/plants?*", 502, body)
    visitor.answer("**/plants", 502, body)
    visitor.sign_in(owner)
    visitor.sees(WORDS, "#error-text")
    visitor.add("Fern", plant_id="1")
    visitor.sees(WORDS, "#add-fault")
    expect(visitor["#add-done"]).to_be_empty()
