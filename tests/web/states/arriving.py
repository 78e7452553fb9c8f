"""Signing in, and what is seen first."""

import time

from playwright.sync_api import expect

from plantstore.model import Role
from tests.web.states.stage import Stage, state


@state
def sign_in(stage: Stage) -> None:
    stage.visitor.open()


@state
def refused(stage: Stage) -> None:
    visitor = stage.visitor.open()
    visitor.give_token("pst_1_nonsense")
    expect(visitor["#sign-in-reason"]).to_be_visible()


@state
def loading(stage: Stage) -> None:
    stage.visitor.open().hold("**/plants?*")
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-loading"]).to_be_visible()


@state
def slow(stage: Stage) -> None:
    stage.visitor.page.clock.install()
    loading(stage)
    stage.visitor.page.clock.fast_forward("00:10")
    expect(stage.visitor["#slow"]).to_be_visible()


@state
def empty(stage: Stage) -> None:
    stage.visitor.sign_in(stage.token)
    expect(stage.visitor["#state-empty"]).to_be_visible()


@state
def empty_for_a_reader(stage: Stage) -> None:
    token = stage.service.make_token(stage.store, f"reader-of-{stage.store}", role=Role.READER)
    stage.visitor.sign_in(token)
    expect(stage.visitor["#empty-read"]).to_be_visible()


@state
def token_that_ends_soon(stage: Stage) -> None:
    stage.furnish()
    soon = time.time_ns() // 10**6 + 5 * 86_400_000
    token = stage.service.make_token(stage.store, f"owner-of-{stage.store}", expires_at=soon)
    stage.visitor.sign_in(token).counts("48 plants")
    expect(stage.visitor["#expiry"]).to_be_visible()
