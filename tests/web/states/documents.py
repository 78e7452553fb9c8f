"""The interface and the error numbers, to read."""

from playwright.sync_api import expect

from tests.web.reference import authorize, execute, open_reference, try_out
from tests.web.states.setup import StateSetup, state


@state
def docs_authorize(setup: StateSetup) -> None:
    open_reference(setup.driver)
    setup.driver.page.get_by_role("button", name="Authorize").click()
    expect(setup.driver[".auth-container input"]).to_be_visible()


@state
def docs_tried(setup: StateSetup) -> None:
    setup.create_plants()
    open_reference(setup.driver)
    authorize(setup.driver, setup.token)
    operation = try_out(setup.driver, "list_plants")
    expect(execute(setup.driver, operation)).to_contain_text("Monstera")
    operation.get_by_role("tab", name="Schema").first.click()
    setup.driver["#operations-caller-get_me .opblock-summary-control"].click()


@state
def errors(setup: StateSetup) -> None:
    setup.driver.open("/docs/errors")
