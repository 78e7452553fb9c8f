"""The Access page: members and their roles, invitation links, and the owner's tokens."""

from playwright.sync_api import expect

from plantstore.core.model import Role, Scope
from tests.features.page.page_driver import PageDriver


def open_access(driver: PageDriver) -> None:
    """Sign in as a second owner, olga, and open the Access page."""
    scopes = frozenset(Scope)
    driver.sign_in(driver.service.make_token(driver.store, "olga", role=Role.OWNER, scopes=scopes))
    driver.open_menu("#access-open")
    expect(driver["#access-all"]).to_be_visible()


def test_an_invitation_shows_a_link_that_signs_the_invited_user_in(driver: PageDriver) -> None:
    open_access(driver)
    driver["#invite-name"].click()
    driver.type("hans\n")
    driver.assert_shows("Send this link to hans.", "#credential-text")
    driver.assert_shows("hans", "#members")
    link = driver["#credential"].inner_text()
    with driver.service.client(None) as client:
        session = client.post("/links/redeem", json={"code": link.partition("code=")[2]}).json()
    with driver.service.client(session["token"]) as client:
        assert client.get("/me").json()["user"] == "hans"


def test_an_invitation_sent_while_the_lists_load_is_made_once(driver: PageDriver) -> None:
    held = driver.hold("**/tokens", responses=True)
    open_access(driver)
    driver.wait_until(lambda: held.routes)
    driver["#invite-name"].click()
    driver.type("hans\n\n")
    held.release()
    driver.assert_shows("hans", "#links")
    driver.settle()
    expect(driver["#links li"]).to_have_count(1)


def test_an_owner_changes_a_members_role_in_the_members_row(driver: PageDriver) -> None:
    driver.service.make_token(driver.store, "rita", role=Role.READER)
    open_access(driver)
    driver["#members li:has-text('rita') select"].select_option("editor")
    driver.settle()
    driver.page.reload()
    driver.open_menu("#access-open")
    expect(driver["#members li:has-text('rita') select"]).to_have_value("editor")


def test_a_raised_role_needs_a_new_link_which_the_message_offers(driver: PageDriver) -> None:
    driver.service.make_token(driver.store, "rita", role=Role.READER)
    open_access(driver)
    role = driver["#members li:has-text('rita') select"]
    role.select_option("editor")
    driver.assert_shows("rita: editor. Older tokens and links keep what they allow.", "#message")
    driver["#message"].get_by_role("button", name="Create link").click()
    driver.assert_shows("Send this link to rita.", "#credential-text")
    driver["#message"].get_by_role("button", name="Close").click()
    role.select_option("reader")
    driver.assert_shows("rita: reader", "#announcements")
    expect(driver["#message"]).to_be_hidden()


def test_two_role_changes_in_succession_are_both_saved(driver: PageDriver) -> None:
    driver.service.make_token(driver.store, "rita", role=Role.READER)
    open_access(driver)
    held = driver.hold("**/members/owner-of-*")
    roles = driver["#members select"]
    roles.nth(1).select_option("editor")
    driver.wait_until(lambda: held.routes)
    roles.nth(2).select_option("owner")
    held.release()
    driver.assert_shows("rita: owner", "#announcements")
    driver.page.reload()
    for row, role in ((1, "editor"), (2, "owner")):
        expect(roles.nth(row)).to_have_value(role)


def test_a_refused_role_change_shows_the_reason_and_the_old_role(driver: PageDriver) -> None:
    user = f"owner-of-{driver.store}"
    driver.sign_in(driver.service.make_token(driver.store, user, scopes=frozenset(Scope)))
    driver.open_menu("#access-open")
    driver["#members select"].select_option("reader")
    driver.assert_shows("This is the last owner of the store", "#access-reason")
    expect(driver["#members select"]).to_have_value("owner")


def test_an_owner_removes_a_member_by_keyboard(driver: PageDriver) -> None:
    driver.service.make_token(driver.store, "grace/é", role=Role.READER)
    open_access(driver)
    driver.page.get_by_role("button", name="Remove grace/é?").press("Enter")
    driver.assert_shows("Remove grace/é?", "#ask")
    driver.page.keyboard.press("Shift+Tab")
    driver.page.keyboard.press("Enter")
    expect(driver["#members"]).not_to_contain_text("grace")
    expect(driver["body"]).not_to_be_focused()


def test_a_link_is_listed_until_an_owner_revokes_it(driver: PageDriver) -> None:
    open_access(driver)
    driver["#invite-name"].click()
    driver.type("hans\n")
    driver.assert_shows("hans", "#links")
    code = driver["#credential"].inner_text().partition("code=")[2]
    driver.page.get_by_role("button", name="Revoke the link of hans?").click()
    driver["#ask-yes"].click()
    expect(driver["#links"]).to_be_hidden()
    with driver.service.client(None) as client:
        assert client.post("/links/redeem", json={"code": code}).status_code == 404


def test_a_new_token_is_shown_once_and_can_be_revoked(driver: PageDriver) -> None:
    open_access(driver)
    driver["details:has(#token-form) > summary"].click()
    driver["#token-scopes"].select_option("list")
    driver["#token-days"].select_option("1")
    driver["#token-label"].fill("wall display")
    driver["#token-form button"].click()
    driver.assert_shows("pst_", "#credential")
    token = driver["#credential"].inner_text()
    assert driver.list_plants(token) == []
    token_row = driver["#tokens li"].filter(has_text="wall display")
    expect(driver["#tokens li"].filter(has_text="(this session)")).to_have_count(1)
    expect(token_row).to_contain_text("list · never used · expires on")
    driver["#access .back"].click()
    expect(driver["#plants"]).to_be_visible()
    assert token not in driver.page.content()
    driver.page.go_back()
    expect(token_row).to_be_visible()
    assert token not in driver.page.content()
    token_row.get_by_role("button").click()
    driver["#ask-yes"].click()
    expect(token_row).to_have_count(0)


def test_the_address_of_the_access_page_opens_it_only_for_an_owner(driver: PageDriver) -> None:
    open_access(driver)
    address = driver.address().removeprefix(driver.service.origin)
    assert driver.page.title() == f"Access · {driver.store} · Plant Store"
    driver.page.reload()
    expect(driver["#access-all"]).to_be_visible()
    driver.page.keyboard.press("Escape")
    expect(driver["#grid"]).to_be_focused()
    driver.open_with_token(
        driver.service.make_token(driver.store, "rita", role=Role.READER), address
    )
    expect(driver["#state-empty"]).to_be_visible()
    expect(driver["#access"]).to_be_hidden()


def test_an_editor_does_not_see_the_menu_item_of_the_access_page(driver: PageDriver) -> None:
    driver.sign_in(driver.service.make_token(driver.store, "rita", role=Role.EDITOR))
    driver["#more-open"].click()
    expect(driver["#access-open"]).to_be_hidden()
