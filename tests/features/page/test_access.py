"""Who has access: one step to let a colleague in, and no step that points at the wrong one."""

import pytest
from playwright.sync_api import expect

from plantstore.core.model import Role, Scope
from tests.features.page.page_driver import PageDriver


def open_access(driver: PageDriver) -> None:
    scopes = frozenset(Scope)
    driver.sign_in(driver.service.make_token(driver.store, "olga", role=Role.OWNER, scopes=scopes))
    driver.open_menu("#access-open")
    expect(driver["#access-all"]).to_be_visible()


def test_an_invitation_is_the_colleagues_link(driver: PageDriver) -> None:
    open_access(driver)
    driver["#invite-name"].click()
    driver.type("hans\n")
    driver.assert_shows("Send this link to hans.", "#credential-text")
    driver.assert_shows("hans", "#members")
    link = driver["#credential"].inner_text()
    with driver.service.client(None) as client:
        made = client.post("/links/redeem", json={"code": link.partition("code=")[2]}).json()
    with driver.service.client(made["token"]) as client:
        assert client.get("/me").json()["user"] == "hans"


def test_a_role_is_changed_in_its_row(driver: PageDriver) -> None:
    driver.service.make_token(driver.store, "rita", role=Role.READER)
    open_access(driver)
    driver["#members li:has-text('rita') select"].select_option("editor")
    driver.settle()
    driver.page.reload()
    driver.open_menu("#access-open")
    expect(driver["#members li:has-text('rita') select"]).to_have_value("editor")


@pytest.mark.parametrize("role", [Role.READER, Role.EDITOR])
def test_who_may_not_manage_does_not_see_it(driver: PageDriver, role: Role) -> None:
    driver.sign_in(driver.service.make_token(driver.store, "rita", role=role))
    driver["#more-open"].click()
    expect(driver["#access-open"]).to_be_hidden()
