"""Signing in with a token or a link, sessions shared by tabs, remembered sessions, signing out."""

import time
from copy import copy

from playwright.sync_api import expect

from plantstore.core.model import Role
from tests.features.access.http.access_calls import managing, set_role
from tests.features.page.page_driver import PageDriver
from tests.service import Service

DAY = 86_400_000
REFUSED = "The token is not valid: ask the store’s owner for a new link."
UNREADABLE = "This is not a token"
INVALID_TOKENS = {"{}x": REFUSED, "pst_1_é": REFUSED, "“{}”": UNREADABLE, "{}\u200b": UNREADABLE}
LOCAL_STORAGE = "JSON.stringify({...localStorage})"


def set_remote_host(driver: PageDriver) -> PageDriver:
    """Use a host name of the service, as from another machine, rather than its address."""
    driver.service = copy(driver.service)
    driver.service.origin = driver.service.origin.replace("127.0.0.1", "plants.localhost")
    return driver


def test_a_token_opens_its_store_and_is_stored_only_in_its_tab(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    user, later = f"owner-of-{driver.store}", time.time_ns() // 10**6 + 100 * DAY
    token = driver.service.make_token(driver.store, user, expires_at=later)
    set_remote_host(driver).open()
    expect(driver["#sign-in-start"]).to_be_hidden()
    driver.submit_token(f"  Bearer {token}\n")
    driver.assert_count("1 plant")
    expect(driver["#expiry"]).to_be_hidden()
    expect(driver["#stores"]).to_have_value(driver.store)
    expect(driver["#who"]).to_have_text(user)
    expect(driver["#role"]).to_have_text("owner")
    assert driver.evaluate("sessionStorage['plantstore/token']") == token
    assert driver.evaluate("[localStorage.length, document.cookie, location.href]") == [
        0,
        "",
        f"{driver.service.origin}/#store={driver.store}",
    ]
    form = driver["#sign-in-form"]
    expect(form.locator("[type=password][autocomplete=current-password]")).to_have_value("")
    expect(form.locator("[autocomplete=username]")).to_have_value(user)
    driver.page.reload()
    expect(driver["#app"]).to_be_visible()


def test_tabs_share_the_session_until_one_signs_out(driver: PageDriver) -> None:
    driver.sign_in()
    away = driver.open_beside()
    expect(away.locator("#app")).to_be_visible()
    away.goto(f"{driver.service.origin}/livez")
    reference = driver.open_beside("/docs")
    expect(reference.locator("#session")).to_contain_text("Signed in as")
    driver.open("/livez")
    other = driver.open_beside()  # the tab of the reference shares its session
    expect(other.locator("#app")).to_be_visible()
    driver.open()
    expect(driver["#app"]).to_be_visible()
    other.locator("#person-open").click()
    other.locator("#sign-out").click()
    driver.assert_shows("You signed out in another tab.", "#sign-in-reason")
    expect(reference.locator("#session")).to_have_text("Sign in")
    away.goto(driver.service.origin)
    expect(away.locator("#sign-in")).to_be_visible()
    assert driver.evaluate("sessionStorage.length") == 0


def test_remember_keeps_the_user_signed_in_until_sign_out(driver: PageDriver) -> None:
    set_remote_host(driver).open()
    driver["#remember"].check()
    driver.submit_token(driver.owner)
    expect(driver["#app"]).to_be_visible()
    driver.evaluate("sessionStorage.clear()")  # as when the browser is closed
    driver.page.reload()
    expect(driver["#app"]).to_be_visible()
    driver.evaluate("localStorage['plantstore/token'] += 'x'")  # as if another tab used a link
    driver.sign_out()
    assert "pst_" not in driver.evaluate(LOCAL_STORAGE)
    driver.page.reload()
    expect(driver["#remember"]).not_to_be_checked()


def test_sessions_on_the_services_machine_are_remembered_by_default(driver: PageDriver) -> None:
    driver.open()
    driver.assert_shows("Its terminal shows a sign-in link.", "#sign-in-start")
    driver["#remember"].uncheck()
    for is_remembered in (False, True):  # unchecking applies to one sign-in
        driver.submit_token(driver.owner)
        expect(driver["#app"]).to_be_visible()
        assert (driver.owner in driver.evaluate(LOCAL_STORAGE)) == is_remembered
        driver.sign_out()


def test_the_sign_in_form_says_why_a_token_is_invalid(driver: PageDriver) -> None:
    driver.open()
    for template, reason in INVALID_TOKENS.items():
        token = template.format(driver.owner)
        driver["#token"].fill(token)
        driver["#sign-in-button"].click()
        driver.assert_shows(reason, "#sign-in-reason")
        expect(driver["#token"]).to_have_value(token)
        expect(driver["#token"]).to_be_focused()
    expect(driver["#offline"]).to_be_hidden()


def test_a_user_of_several_stores_can_switch_between_them(
    driver: PageDriver, service: Service, store: str
) -> None:
    user, second = f"owner-of-{store}", f"{store}-second"
    soon = time.time_ns() // 10**6 + 5 * DAY
    token = service.make_token(store, user, all_stores=True, expires_at=soon)
    service.make_token(f"{store}-read", "somebody")
    service.make_token(f"{store}-read", user, role=Role.READER)
    driver.create_plants({"id": 7, "name": "Aloe"}, token=service.make_token(second, user))
    driver.create_plants({"id": 1, "name": "Fern"}, token=token)
    driver.sign_in(token)
    driver.assert_shows("Fern", "#rows")
    driver.assert_shows("Your access ends on", "#expiry")
    driver["#add-name"].fill("half typed")
    driver["#stores"].select_option(second)
    driver.assert_shows("Aloe", "#rows")
    expect(driver["#rows"]).not_to_contain_text("Fern")
    expect(driver["#add-name"]).to_have_value("half typed")
    driver.page.reload()
    driver.assert_shows("Aloe", "#rows")
    driver["#stores"].select_option(f"{store}-read")
    expect(driver["#role"]).to_have_text("reader")
    expect(driver["#add"]).to_be_hidden()


def test_a_link_signs_in_once_and_its_code_leaves_the_address(
    driver: PageDriver, service: Service, store: str
) -> None:
    with managing(service, store, f"owner-of-{store}") as client:
        set_role(client, "kiosk", "reader")
        code = client.post("/links", json={"user": "kiosk"}).raise_for_status().json()["code"]
    set_remote_host(driver).open(f"/#code={code}")
    expect(driver["#who"]).to_have_text("kiosk")
    expect(driver["#grid"]).to_be_focused()
    assert code not in driver.address()
    driver.page.set_viewport_size({"width": 360, "height": 740})
    driver["#message"].get_by_role("button", name="Keep me signed in").click()
    assert "pst_" in driver.evaluate(LOCAL_STORAGE)
    driver.sign_out()
    driver.open(f"/#code={code}")
    driver.assert_shows("Ask for a new one", "#sign-in-reason")
    assert code not in driver.address()


def test_a_link_signs_in_a_tab_whose_token_was_revoked(
    driver: PageDriver, service: Service, store: str
) -> None:
    with managing(service, store, f"owner-of-{store}") as client:
        set_role(client, "kiosk", "reader")
        code = client.post("/links", json={"user": "kiosk"}).raise_for_status().json()["code"]
    service.revoke(driver.owner)
    driver.open_with_token(driver.owner, f"/#code={code}")
    expect(driver["#who"]).to_have_text("kiosk")
    expect(driver["#app"]).to_be_visible()


def test_a_link_asks_before_it_replaces_the_signed_in_user(
    driver: PageDriver, service: Service, store: str
) -> None:
    other = f"{store}-other"
    with managing(service, other, "eve") as client:
        code = client.post("/links", json={"user": "eve"}).raise_for_status().json()["code"]
    address = f"{service.origin}/#code={code}"
    driver.sign_in()
    beside = driver.open_beside(f"/#code={code}")  # signed in only through the other tab
    for page, choice, user in (
        (beside, "Cancel", f"owner-of-{store}"),
        (driver.page, "Cancel", f"owner-of-{store}"),
        (driver.page, "Sign in", "eve"),
    ):
        if page is driver.page:
            page.goto(address)
        dialog = page.locator("#ask")
        expect(dialog).to_contain_text(f"Sign in to {other} as eve?")
        expect(dialog).to_contain_text(f"You are signed in to {store} as owner-of-{store}.")
        dialog.get_by_role("button", name=choice).click()
        expect(page.locator("#who")).to_have_text(user)
        assert code not in page.evaluate("location.href")
    expect(driver["#stores"]).to_have_value(other)


def test_a_link_of_the_same_user_opens_its_store(
    driver: PageDriver, service: Service, store: str
) -> None:
    other, user = f"{store}-other", f"owner-of-{store}"
    driver.sign_in()
    with managing(service, other, user) as client:
        code = client.post("/links", json={"user": user}).raise_for_status().json()["code"]
    driver.page.goto(f"{service.origin}/#code={code}")  # in the same tab
    driver.assert_shows(f"Sign in to {other} as {user}?", "#ask")
    driver["#ask"].get_by_role("button", name="Sign in").click()
    expect(driver["#stores"]).to_have_value(other)
    expect(driver["#state-empty"]).to_be_visible()
    assert driver.address().endswith(f"#store={other}")
