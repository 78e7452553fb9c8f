"""Signing in, and what is seen first."""

import time

from playwright.sync_api import expect

from plantstore.model import Role
from tests.web.states.setup import StateSetup, state


@state
def sign_in(setup: StateSetup) -> None:
    setup.driver.open()


@state
def refused(setup: StateSetup) -> None:
    driver = setup.driver.open()
    driver.submit_token("pst_1_nonsense")
    expect(driver["#sign-in-reason"]).to_be_visible()


@state
def loading(setup: StateSetup) -> None:
    setup.driver.open().hold("**/plants?*")
    setup.driver.sign_in(setup.token)
    expect(setup.driver["#state-loading"]).to_be_visible()


@state
def slow(setup: StateSetup) -> None:
    setup.driver.install_clock()
    loading(setup)
    setup.driver.page.clock.fast_forward("00:10")
    expect(setup.driver["#slow"]).to_be_visible()


@state
def empty(setup: StateSetup) -> None:
    setup.driver.sign_in(setup.token)
    expect(setup.driver["#state-empty"]).to_be_visible()


@state
def empty_for_a_reader(setup: StateSetup) -> None:
    token = setup.service.make_token(setup.store, f"reader-of-{setup.store}", role=Role.READER)
    setup.driver.sign_in(token)
    expect(setup.driver["#empty-read"]).to_be_visible()


@state
def token_that_ends_soon(setup: StateSetup) -> None:
    setup.create_plants()
    soon = time.time_ns() // 10**6 + 5 * 86_400_000
    token = setup.service.make_token(setup.store, f"owner-of-{setup.store}", expires_at=soon)
    setup.driver.sign_in(token).assert_count("48 plants")
    expect(setup.driver["#expiry"]).to_be_visible()
