"""When things go wrong: revoked, restarted, offline, slow; and what a role does not allow."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from plantstore.bootstrap import open_administration
from plantstore.model import Role, Scope
from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, list_all, plant

FAILED = '{"error": 50001, "message": "the service failed"}'
REFUSED = "the token is not valid: ask the owner of the store for a new one"


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[Service]:
    """A service that the test may stop."""
    with Service(tmp_path) as running:
        yield running


def test_a_revoked_token_leads_to_the_sign_in_and_nothing_is_lost(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.counts("1 plant")
    shop.revoke(owner)
    visitor.add("Half typed", "herb", "77")
    visitor.sees(REFUSED, "#sign-in-reason")
    expect(visitor["#app"]).to_be_hidden()
    assert visitor.stays("sessionStorage['plantstore/token']") is None
    other = shop.make_token(store, f"owner-of-{store}")
    visitor["#token"].fill(other)
    visitor["#token"].press("Enter")
    expect(visitor["#app"]).to_be_visible()
    for field, value in {"name": "Half typed", "tag": "herb", "id": "77"}.items():
        expect(visitor[f"#add-{field}"]).to_have_value(value)
    visitor["#add-button"].click()
    visitor.sees("Added Half typed, id 77", "#add-done")
    assert len(list_all(shop, other)) == 2


def test_a_token_revoked_while_importing_is_told_with_the_rest_to_send(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("many.csv", "".join(f"{number},Plant\n" for number in range(500)))
    held = visitor.hold("**/plants")
    visitor["#import-start"].click()
    visitor.page.wait_for_timeout(100)
    shop.revoke(owner)
    held.let_go()
    visitor.sees(REFUSED, "#sign-in-reason")
    expect(visitor["#import"]).to_be_hidden()
    other = shop.make_token(store, f"owner-of-{store}")
    visitor["#token"].fill(other)
    visitor["#token"].press("Enter")
    visitor.sees("500 lines not imported", "#import-result")
    visitor["#import-retry"].click()
    visitor.sees("500 plants imported.", "#import-result")
    assert len(list_all(shop, other)) == 500


def test_a_restarted_server_is_waited_for(visit: Visit, own_service: Service) -> None:
    token = own_service.make_token()
    plant(own_service, token, {"id": 1, "name": "Fern"})
    visitor = visit(own_service).sign_in(token)
    visitor.counts("1 plant")
    port = own_service.origin.rpartition(":")[2]
    own_service.stop()
    visitor.add("Typed meanwhile")
    visitor.sees("The server cannot be reached", "#offline")
    visitor.sees("The server cannot be reached", "#add-fault")
    expect(visitor["#add-name"]).to_have_value("Typed meanwhile")
    own_service.start_again_on(port)
    expect(visitor["#offline"]).to_be_hidden(timeout=20_000)
    visitor["#add-button"].click()
    visitor.sees("Added Typed meanwhile, id 2", "#add-done")
    visitor.page.get_by_role("button", name="Delete Fern").click()
    visitor.sees("Deleted Fern", "#toasts")


def test_a_list_that_breaks_off_goes_on_when_the_server_is_back(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    fill_store(shop, store, 5000)
    visitor = visit().open()
    visitor.page.route("**/plants?*after=*", lambda route: route.abort())
    visitor.sign_in(owner)
    visitor.sees("Only a part of the list was loaded", "#state-error")
    visitor.sees("000001", "#rows")
    visitor.page.unroute("**/plants?*after=*")
    visitor.counts("5,000 plants")
    expect(visitor["#state-error"]).to_be_hidden()


def test_an_error_of_the_server_can_be_tried_again(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().open()
    visitor.answer("**/plants?*", 500, FAILED)
    visitor.sign_in(owner)
    visitor.sees("the service failed", "#error-text")
    visitor["#retry"].click()
    visitor.sees("the service failed", "#error-text")
    visitor.page.unroute("**/plants?*")
    visitor["#retry"].click()
    visitor.counts("1 plant")


def test_a_first_request_too_many_is_waited_for(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().open()
    body = '{"error": 42901, "message": "too many requests"}'
    visitor.page.route(
        "**/plants?limit=0",
        lambda route: route.fulfill(status=429, body=body, content_type="application/json"),
        times=1,
    )
    visitor.sign_in(owner)
    visitor.counts("1 plant")


def test_trying_again_twice_loads_once(visit: Visit, shop: Service, store: str, owner: str) -> None:
    fill_store(shop, store, 3)
    visitor = visit().open()
    visitor.answer("**/plants?*", 500, FAILED)
    visitor.sign_in(owner)
    visitor.sees("the service failed", "#error-text")
    visitor.page.unroute("**/plants?*")
    held = visitor.hold("**/plants?*")
    visitor["#retry"].evaluate("(button) => { button.click(); button.click(); }")
    visitor.until(lambda: held.routes)
    held.let_go()
    visitor.counts("3 plants")
    visitor.rest()
    visitor.counts("3 plants")
    assert len(visitor.names()) == 3


def test_words_of_a_proxy_are_no_riddle(visit: Visit, owner: str) -> None:
    visitor = visit().open()
    visitor.answer("**/me", 502, "<h1>Bad</h1>", "text/html")
    visitor["#token"].fill(owner)
    visitor["#token"].press("Enter")
    visitor.sees("the server answered with status 502", "#sign-in-reason")
    expect(visitor["#token"]).to_have_value(owner)


def test_a_slow_server_is_told(visit: Visit, owner: str) -> None:
    visitor = visit().open()
    held = visitor.hold("**/plants?*")
    visitor.sign_in(owner)
    expect(visitor["#state-loading"]).to_be_visible()
    expect(visitor["#slow"]).to_be_visible(timeout=10_000)
    held.let_go()
    expect(visitor["#slow"]).to_be_hidden()
    expect(visitor["#state-empty"]).to_be_visible()


def test_too_many_requests_are_waited_for(visit: Visit, tmp_path: Path) -> None:
    with Service(tmp_path, settings={"rate_limit": "40/second"}) as limited:
        token = limited.make_token()
        visitor = visit(limited).sign_in(token)
        visitor.choose_file("many.csv", "".join(f"{number},Plant\n" for number in range(100)))
        visitor["#import-start"].click()
        expect(visitor["#import-result"]).to_have_text("100 plants imported.", timeout=60_000)


def test_a_reader_is_offered_what_a_reader_may(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern", "tag": "herb"})
    token = shop.make_token(store, "eve", role=Role.READER)
    visitor = visit().sign_in(token)
    visitor.counts("1 plant")
    visitor.sees("herb", "#tag-bars")
    for absent in ("#add-form", "#import-open", "#rows .remove", "#rows .box"):
        expect(visitor[absent]).to_be_hidden()
    visitor["#grid"].focus()
    for key in ("Space", "Delete", "Control+a"):
        visitor["#grid"].press(key)
    expect(visitor["#selection"]).to_be_hidden()
    assert len(list_all(shop, owner)) == 1
    assert visitor.exports("csv")[1] == "id,name,tag\r\n1,Fern,herb\r\n"


def test_an_empty_store_tells_a_reader_to_wait(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    assert owner
    visitor = visit().sign_in(shop.make_token(store, "eve", role=Role.READER))
    expect(visitor["#empty-read"]).to_be_visible()
    expect(visitor["#empty-create"]).to_be_hidden()


def test_a_token_that_may_only_create_adds_without_a_list(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    token = shop.make_token(store, f"owner-of-{store}", scopes=frozenset({Scope.CREATE}))
    visitor = visit().sign_in(token)
    expect(visitor["#state-forbidden"]).to_be_visible()
    visitor.adds("Fern", plant_id="5")
    visitor.adds("Aloe", plant_id="6")
    assert [one["id"] for one in list_all(shop, owner)] == [5, 6]


def test_a_role_that_was_taken_is_not_offered_any_more(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    token = shop.make_token(store, "eve", role=Role.EDITOR)
    visitor = visit().sign_in(token)
    expect(visitor["#add-id"]).to_have_value("2")
    with closing(open_administration(shop.database)) as administration:
        administration.add_member(store, "eve", Role.READER)
    visitor.add("Aloe")
    visitor.sees("reader", "#role")
    expect(visitor["#add-form"]).to_be_hidden()
    assert len(list_all(shop, owner)) == 1
