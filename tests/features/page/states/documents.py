"""The reference."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import flow
from tests.features.reference.reference import open_reference, send, try_out

# Operations, errors and schemas look alike: checking all would take axe twenty times as long.
REPEATED = ".operation:not(#create_plant), #errors dl ~ *, #schemas section ~ section"
OPEN_ALL = """(repeated) => {
    document.querySelectorAll(repeated).forEach((element) => element.remove());
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
}"""


@flow
def reference(driver: PageDriver) -> Iterator[str]:
    open_reference(driver, driver.owner)
    send(try_out(driver, "create_plant"), "200 OK")
    driver.page.evaluate(OPEN_ALL, REPEATED)
    yield "reference"
    driver.page.get_by_role("button", name="Contents").click()
    expect(driver["#contents"]).to_be_visible()
    yield "reference_contents"
