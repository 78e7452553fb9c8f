"""The reference, to read."""

from tests.web.page_driver import PageDriver
from tests.web.reference import open_reference, send, try_out
from tests.web.states.setup import state


@state
def reference(driver: PageDriver) -> None:
    driver.open("/docs")


@state
def reference_tried(driver: PageDriver) -> None:
    open_reference(driver, driver.owner)
    send(try_out(driver, "create_plant"), "200 OK")


@state
def reference_errors(driver: PageDriver) -> None:
    driver.open("/docs#error-40002")
