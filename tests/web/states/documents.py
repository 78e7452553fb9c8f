"""The interface and the error numbers, to read."""

from playwright.sync_api import expect

from tests.web.reference import authorize, execute, open_reference, try_out
from tests.web.states.stage import Stage, state


@state
def docs(stage: Stage) -> None:
    open_reference(stage.visitor)


@state
def docs_authorize(stage: Stage) -> None:
    open_reference(stage.visitor)
    stage.visitor.page.get_by_role("button", name="Authorize").click()
    expect(stage.visitor[".auth-container input"]).to_be_visible()


@state
def docs_tried(stage: Stage) -> None:
    stage.furnish()
    open_reference(stage.visitor)
    authorize(stage.visitor, stage.token)
    answer = execute(stage.visitor, try_out(stage.visitor, "list_plants"))
    expect(answer).to_contain_text("Monstera")


@state
def errors(stage: Stage) -> None:
    stage.visitor.open("/docs/errors")
