"""Members, tokens and links, for owners."""

import time
from collections.abc import Iterator

from playwright.sync_api import expect

from plantstore.core.model import Role, Scope
from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import flow


@flow
def access(driver: PageDriver) -> Iterator[str]:
    service, user = driver.service, f"owner-of-{driver.store}"
    soon = time.time_ns() // 10**6 + 5 * 86_400_000
    service.make_token(driver.store, "grace", role=Role.EDITOR, expires_at=soon)
    service.make_token(driver.store, "a.user.of.a.long.name@nursery.example.org", role=Role.READER)
    driver.sign_in(service.make_token(driver.store, user, scopes=frozenset(Scope)))
    driver.open_menu("#access-open")
    expect(driver["#access-all"]).to_be_visible()
    yield "access"
    driver["#members li"].filter(has_text=user).locator("select").select_option("reader")
    expect(driver["#access-reason"]).to_be_visible()
    yield "access_refused"
    driver.page.get_by_role("button", name="Remove grace?").click()
    expect(driver["#ask"]).to_be_visible()
    yield "access_removing"
    driver.page.keyboard.press("Escape")
    driver["#invite-name"].fill("hans")
    driver["#invite-name"].press("Enter")
    expect(driver["#credential"]).to_be_visible()
    yield "access_link"
    driver.page.goto(driver["#credential"].inner_text())
    expect(driver["#ask"]).to_be_visible()
    yield "access_switching"
