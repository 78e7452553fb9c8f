"""Signing in, and what is seen first."""

import time

from playwright.sync_api import expect

from plantstore.model import Role
from tests.web.page_driver import PageDriver
from tests.web.states.setup import create_plants, state


@state
def sign_in(driver: PageDriver) -> None:
    driver.open()


@state
def refused(driver: PageDriver) -> None:
    driver.open()
    driver.submit_token("pst_1_nonsense")
    expect(driver["#sign-in-reason"]).to_be_visible()


@state
def loading(driver: PageDriver) -> None:
    driver.open().hold("**/plants?*")
    driver.sign_in()
    expect(driver["#state-loading"]).to_be_visible()


@state
def slow(driver: PageDriver) -> None:
    driver.install_clock()
    loading(driver)
    driver.page.clock.fast_forward("00:10")
    expect(driver["#slow"]).to_be_visible()


@state
def empty(driver: PageDriver) -> None:
    driver.sign_in()
    expect(driver["#state-empty"]).to_be_visible()


@state
def empty_for_a_reader(driver: PageDriver) -> None:
    token = driver.service.make_token(driver.store, f"reader-of-{driver.store}", role=Role.READER)
    driver.sign_in(token)
    expect(driver["#empty-read"]).to_be_visible()


@state
def token_that_ends_soon(driver: PageDriver) -> None:
    create_plants(driver)
    soon = time.time_ns() // 10**6 + 5 * 86_400_000
    token = driver.service.make_token(driver.store, f"owner-of-{driver.store}", expires_at=soon)
    driver.sign_in(token).assert_count("48 plants")
    expect(driver["#expiry"]).to_be_visible()
