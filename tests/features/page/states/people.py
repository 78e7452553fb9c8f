"""Members, tokens and links, for owners."""

import time
from collections.abc import Iterator

from playwright.sync_api import expect

from plantstore.core.model import Role, Scope
from tests.features.page.page_driver import PageDriver
from tests.features.page.people import create, open_people
from tests.features.page.states.setup import flow


@flow
def people(driver: PageDriver) -> Iterator[str]:
    service, user = driver.service, f"owner-of-{driver.store}"
    soon = time.time_ns() // 10**6 + 5 * 86_400_000
    service.make_token(driver.store, "grace", role=Role.EDITOR, expires_at=soon)
    service.make_token(driver.store, "a.user.of.a.long.name@nursery.example.org", role=Role.READER)
    driver.sign_in(service.make_token(driver.store, user, scopes=frozenset(Scope)))
    open_people(driver)
    yield "people"
    driver["#member-name"].fill(user)
    driver["#member-form button"].click()
    expect(driver["#people-reason"]).to_be_visible()
    yield "people_refused"
    driver.page.get_by_role("button", name="Remove grace").click()
    expect(driver["#sure"]).to_be_visible()
    yield "people_removing"
    driver.page.keyboard.press("Escape")
    create(driver, "link")
    expect(driver["#credential"]).to_be_visible()
    yield "people_link"
    driver.page.goto(driver["#credential"].inner_text())
    expect(driver["#switch"]).to_be_visible()
    yield "people_switching"
