"""Importing a file, from choosing it to its result."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import browse, flow

BAD_FILE = "id,name,tag\n1,Fern,herb\nx,Aloe,\n3,,shrub\n4,Basil,herb\n5,Monstera,\n" + "".join(
    f"{number},Plant {number},tag {number % 5}\n" for number in range(100, 160)
)


@flow
def importing(driver: PageDriver) -> Iterator[str]:
    browse(driver).open_menu("#import-open")
    yield "import_choice"
    driver.set_file("spring order.csv", "id,name,tag\n")
    expect(driver["#import-reason"]).to_be_visible()
    yield "import_reason"
    driver.set_file("spring order.csv", BAD_FILE)
    expect(driver["#import-preview"]).to_be_visible()
    yield "import_preview"
    driver.set_file("names.csv", "Standort;Art;Gruppe\nA1;Farn;\nA2;Aloe vera;\n")
    driver["#import-name"].select_option("2: Art")
    driver["#import-header"].check()
    yield "import_of_names"
    driver.set_file("many.csv", "".join(f"Plant {n}\n" for n in range(1200)))
    first = iter(range(1))
    held = driver.hold("**/changes")
    driver.route(
        "**/changes",
        lambda route: route.fallback() if next(first, None) is None else route.continue_(),
    )
    driver["#import-start"].click()
    driver.assert_shows("500 of 1,200", "#message")
    driver.assert_count("548 plants")
    yield "import_progress"
    driver["#message"].get_by_role("button", name="Stop").click()
    held.release()
    driver.assert_shows("200 lines were not imported", "#message")
    yield "import_stopped"
