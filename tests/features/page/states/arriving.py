"""Signing in, and the first view."""

import time
from collections.abc import Iterator

from playwright.sync_api import expect

from plantstore.core.model import Role
from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import create_plants, flow


@flow
def arriving(driver: PageDriver) -> Iterator[str]:
    driver.open()
    yield "sign_in"
    driver.submit_token("pst_1_nonsense")
    expect(driver["#sign-in-reason"]).to_be_visible()
    yield "refused"
    held = driver.hold("**/plants?*")
    driver.submit_token(driver.owner)
    expect(driver["#state-loading"]).to_be_visible()
    yield "loading"
    held.release()
    expect(driver["#state-empty"]).to_be_visible()
    yield "empty"


@flow
def reading(driver: PageDriver) -> Iterator[str]:
    token = driver.service.make_token(driver.store, f"reader-of-{driver.store}", role=Role.READER)
    driver.sign_in(token)
    expect(driver["#empty-read"]).to_be_visible()
    yield "empty_for_a_reader"
    create_plants(driver)
    driver.assert_count("48 plants")
    yield "for_a_reader"


@flow
def choosing_a_store(driver: PageDriver) -> Iterator[str]:
    user, soon = f"owner-of-{driver.store}", time.time_ns() // 10**6 + 5 * 86_400_000
    driver.service.make_token(f"{driver.store}-second", user)
    token = driver.service.make_token(driver.store, user, all_stores=True, expires_at=soon)
    driver.sign_in(token)
    expect(driver["#stores"]).to_be_visible()
    expect(driver["#expiry"]).to_be_visible()
    yield "several_stores_for_a_token_that_ends_soon"
    driver.open_with_token(token, "/#store=of-others")
    expect(driver["#state-barred"]).to_be_visible()
    yield "no_access"
