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
    operation = try_out(stage.visitor, "list_plants")
    expect(execute(stage.visitor, operation)).to_contain_text("Monstera")
    operation.get_by_role("tab", name="Schema").first.click()
    stage.visitor["#operations-caller-get_me .opblock-summary-control"].click()


@state
def errors(stage: Stage) -> None:
    stage.visitor.open("/docs/errors")
