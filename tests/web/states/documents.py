"""The interface and the error numbers, to read."""

from playwright.sync_api import expect

from tests.web.states.stage import Stage, state


@state
def docs(stage: Stage) -> None:
    stage.visitor.open("/docs")
    expect(stage.visitor["#operations-plants-list_plants"]).to_be_visible(timeout=30_000)


@state
def errors(stage: Stage) -> None:
    stage.visitor.open("/docs/errors")
