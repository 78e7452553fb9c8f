"""Signing in with a token, which stays in the tab, and signing out."""

import time

from playwright.sync_api import expect

from plantstore.model import Role
from tests.http.access_calls import managing, set_role
from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver

REFUSED = "the token is not valid: ask the owner of the store for a new one"


def test_a_token_opens_its_store(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.sign_in()
    driver.assert_count("1 plant")
    driver.assert_shows(driver.store, "#store-name")
    driver.assert_shows(f"owner-of-{driver.store}", "#who")
    driver.assert_shows("owner", "#role")


def test_the_token_is_kept_in_the_tab_alone(driver: PageDriver) -> None:
    driver.sign_in()
    assert driver.owner in driver.evaluate("JSON.stringify({...sessionStorage})")
    assert driver.evaluate("[localStorage.length, document.cookie, location.href]") == [
        0,
        "",
        f"{driver.service.origin}/#store={driver.store}",
    ]
    assert driver["#token"].input_value() == ""
    driver.page.reload()
    expect(driver["#app"]).to_be_visible()
    other = driver.page.context.new_page()
    other.goto(driver.service.origin)
    expect(other.locator("#sign-in")).to_be_visible()


def test_a_refused_token_is_told_why(driver: PageDriver) -> None:
    driver.open()
    for token in ("nonsense", driver.owner + "x", "pst_1_é"):
        driver["#token"].fill(token)
        driver["#sign-in-button"].click()
        driver.assert_shows(REFUSED, "#sign-in-reason")
        expect(driver["#token"]).to_have_value(token)
        expect(driver["#token"]).to_be_focused()
    driver["#token"].fill(f"  {driver.owner}\n")
    driver["#token"].press("Enter")
    expect(driver["#app"]).to_be_visible()


def test_a_store_is_chosen_where_the_token_opens_several(
    driver: PageDriver, service: Service, store: str
) -> None:
    user, second = f"owner-of-{store}", f"{store}-second"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(f"{store}-read", "somebody")
    service.make_token(f"{store}-read", user, role=Role.READER)
    driver.create_plants({"id": 7, "name": "Aloe"}, token=service.make_token(second, user))
    driver.create_plants({"id": 1, "name": "Fern"}, token=token)
    driver.sign_in(token)
    driver.assert_shows("Fern", "#rows")
    driver["#add-name"].fill("half typed")
    driver["#stores"].select_option(second)
    driver.assert_shows("Aloe", "#rows")
    expect(driver["#rows"]).not_to_contain_text("Fern")
    expect(driver["#add-name"]).to_have_value("half typed")
    expect(driver["#add-id"]).to_have_value("8")
    driver.page.reload()
    driver.assert_shows("Aloe", "#rows")
    driver["#stores"].select_option(f"{store}-read")
    driver.assert_shows("reader", "#role")
    expect(driver["#add-form"]).to_be_hidden()


def test_a_token_that_ends_soon_says_so(open_page: OpenPage, service: Service, store: str) -> None:
    now = time.time_ns() // 10**6
    soon = service.make_token(store, expires_at=now + 5 * 86_400_000)
    later = service.make_token(store, expires_at=now + 100 * 86_400_000)
    driver = open_page().sign_in(soon)
    driver.assert_shows("This token expires on", "#expiry")
    driver["#sign-out"].click()
    driver.sign_in(later)
    expect(driver["#expiry"]).to_be_hidden()


def test_a_link_signs_in_once_and_its_code_does_not_stay(
    driver: PageDriver, service: Service, store: str
) -> None:
    with managing(service, store, f"owner-of-{store}") as client:
        set_role(client, "kiosk", "reader")
        code = client.post("/links", json={"user": "kiosk"}).raise_for_status().json()["code"]
    driver.open(f"/#code={code}")
    expect(driver["#who"]).to_have_text("kiosk")
    assert code not in driver.page.url
    driver["#sign-out"].click()
    driver.open(f"/#code={code}")
    expect(driver["#sign-in-reason"]).to_contain_text("code")
    assert code not in driver.page.url
