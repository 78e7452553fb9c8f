"""The reference, to read."""

from tests.web.page_driver import PageDriver
from tests.web.reference import open_reference, send, try_out
from tests.web.states.setup import state


@state
def reference(driver: PageDriver) -> None:
    open_reference(driver, driver.owner)
    send(try_out(driver, "create_plant"), "200 OK")
    driver.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
