"""Members, tokens and links, for owners and for others."""

import time

from playwright.sync_api import expect

from plantstore.model import Role, Scope
from tests.web.page_driver import PageDriver
from tests.web.people import create, open_people
from tests.web.states.setup import create_plants, state


@state
def people(driver: PageDriver) -> None:
    create_plants(driver)
    service, user = driver.service, f"owner-of-{driver.store}"
    soon = time.time_ns() // 10**6 + 5 * 86_400_000
    service.make_token(driver.store, "grace", role=Role.EDITOR, expires_at=soon)
    service.make_token(driver.store, "a.user.of.a.long.name@nursery.example.org", role=Role.READER)
    token = service.make_token(driver.store, user, scopes=frozenset(Scope))
    driver.sign_in(token).assert_count("48 plants")
    open_people(driver)


@state
def people_link(driver: PageDriver) -> None:
    people(driver)
    create(driver, "link")
    expect(driver["#credential"]).to_be_visible()


@state
def people_refused(driver: PageDriver) -> None:
    people(driver)
    driver["#member-name"].fill(f"owner-of-{driver.store}")
    driver["#member-form button"].click()
    expect(driver["#people-reason"]).to_be_visible()


@state
def people_removing(driver: PageDriver) -> None:
    people(driver)
    driver.page.get_by_role("button", name="Remove grace").click()
    expect(driver["#sure"]).to_be_visible()


@state
def people_not_managed(driver: PageDriver) -> None:
    driver.sign_in()
    driver["#export-summary"].click()
    driver["#people-open"].click()
    expect(driver["#people"]).to_be_visible()
