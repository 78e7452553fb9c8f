"""The interface and the error numbers, to read."""

from playwright.sync_api import expect

from tests.web.page_driver import PageDriver
from tests.web.reference import authorize, execute, open_reference, try_out
from tests.web.states.setup import create_plants, state


@state
def docs_authorize(driver: PageDriver) -> None:
    open_reference(driver)
    driver.page.get_by_role("button", name="Authorize").click()
    expect(driver[".auth-container input"]).to_be_visible()


@state
def docs_tried(driver: PageDriver) -> None:
    create_plants(driver)
    open_reference(driver)
    authorize(driver, driver.owner)
    operation = try_out(driver, "list_plants")
    expect(execute(driver, operation)).to_contain_text("Monstera")
    operation.get_by_role("tab", name="Schema").first.click()
    driver["#operations-caller-get_me .opblock-summary-control"].click()


@state
def errors(driver: PageDriver) -> None:
    driver.open("/docs/errors")
