"""Signing in with a token, which stays in the tab, and signing out."""

import time

from playwright.sync_api import expect

from plantstore.model import Role
from tests.service import Service
from tests.web.visitor import Visit, plant

REFUSED = "the token is not valid: ask the owner of the store for a new one"


def test_a_token_opens_its_store(visit: Visit, shop: Service, store: str, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.counts("1 plant")
    visitor.sees(store, "#store-name")
    visitor.sees(f"owner-of-{store}", "#who")
    visitor.sees("owner", "#role")


def test_the_token_is_kept_in_the_tab_alone(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    assert owner in visitor.stays("JSON.stringify({...sessionStorage})")
    assert visitor.stays("[localStorage.length, document.cookie, location.href]") == [
        0,
        "",
        f"{visitor.service.origin}/",
    ]
    assert visitor["#token"].input_value() == ""
    visitor.page.reload()
    expect(visitor["#app"]).to_be_visible()
    other = visitor.page.context.new_page()
    other.goto(visitor.service.origin)
    expect(other.locator("#sign-in")).to_be_visible()


def test_a_refused_token_is_told_why(visit: Visit, owner: str) -> None:
    visitor = visit().open()
    for token in ("nonsense", owner + "x", "pst_1_é"):
        visitor["#token"].fill(token)
        visitor["#sign-in-button"].click()
        visitor.sees(REFUSED, "#sign-in-reason")
        expect(visitor["#token"]).to_have_value(token)
        expect(visitor["#token"]).to_be_focused()
    visitor["#token"].fill(f"  {owner}\n")
    visitor["#token"].press("Enter")
    expect(visitor["#app"]).to_be_visible()


def test_signing_out_leaves_nothing(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor["#add-name"].fill("half typed")
    visitor.counts("1 plant")
    visitor["#sign-out"].click()
    expect(visitor["#sign-in"]).to_be_visible()
    expect(visitor["#sign-in-reason"]).to_be_hidden()
    assert visitor.stays("sessionStorage.length") == 0
    assert "Fern" not in visitor.page.content()
    assert visitor["#add-name"].input_value() == ""


def test_a_store_is_chosen_where_the_token_opens_several(
    visit: Visit, shop: Service, store: str
) -> None:
    user, second = f"owner-of-{store}", f"{store}-second"
    token = shop.make_token(store, user, all_stores=True)
    plant(shop, shop.make_token(second, user), {"id": 7, "name": "Aloe"})
    shop.make_token(f"{store}-read", "somebody")
    shop.make_token(f"{store}-read", user, role=Role.READER)
    plant(shop, token, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(token)
    visitor.sees("Fern", "#rows")
    visitor["#add-name"].fill("half typed")
    visitor["#stores"].select_option(second)
    visitor.sees("Aloe", "#rows")
    expect(visitor["#rows"]).not_to_contain_text("Fern")
    expect(visitor["#add-name"]).to_have_value("half typed")
    expect(visitor["#add-id"]).to_have_value("8")
    visitor.page.reload()
    visitor.sees("Aloe", "#rows")
    visitor["#stores"].select_option(f"{store}-read")
    visitor.sees("reader", "#role")
    expect(visitor["#add-form"]).to_be_hidden()


def test_a_token_that_ends_soon_says_so(visit: Visit, shop: Service, store: str) -> None:
    now = time.time_ns() // 10**6
    soon = shop.make_token(store, expires_at=now + 5 * 86_400_000)
    later = shop.make_token(store, expires_at=now + 100 * 86_400_000)
    visitor = visit().sign_in(soon)
    visitor.sees("This token ends on", "#expiry")
    visitor["#sign-out"].click()
    visitor.sign_in(later)
    expect(visitor["#expiry"]).to_be_hidden()
