"""The error numbers, to read."""

from tests.web.page_driver import PageDriver
from tests.web.states.setup import state


@state
def errors(driver: PageDriver) -> None:
    driver.open("/docs/errors")
