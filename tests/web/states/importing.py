"""Importing a file, from its choice to what became of its lines."""

from playwright.sync_api import expect

from tests.web.page_driver import PageDriver
from tests.web.states.setup import allow_requests, browse, state

BAD_FILE = "id,name,tag\n1,Fern,herb\nx,Aloe,\n3,,shrub\n4,Basil,herb\n5,Monstera,\n" + "".join(
    f"{number},Plant {number},tag {number % 5}\n" for number in range(100, 160)
)


@state
def import_choice(driver: PageDriver) -> None:
    browse(driver)["#import-open"].click()


@state
def import_drop(driver: PageDriver) -> None:
    browse(driver)
    driver.evaluate("""() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["id,name"], "plants.csv"));
        document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer, bubbles: true}));
    }""")
    expect(driver["body.dropping"]).to_be_visible()


@state
def import_reason(driver: PageDriver) -> None:
    browse(driver).choose_file("spring order.csv", "id,name,tag\n")
    expect(driver["#import-reason"]).to_be_visible()


@state
def import_preview(driver: PageDriver) -> None:
    browse(driver).choose_file("spring order.csv", BAD_FILE)
    expect(driver["#import-preview"]).to_be_visible()


@state
def import_progress(driver: PageDriver) -> None:
    import_preview(driver)
    allow_requests(driver, "**/plants", 30)
    driver["#import-start"].click()
    expect(driver["#import-progress-text"]).to_contain_text("30 of")


@state
def import_stopped(driver: PageDriver) -> None:
    import_progress(driver)
    driver["#import-cancel"].click()
    driver.assert_shows("Import stopped", "#import-summary")


@state
def import_summary(driver: PageDriver) -> None:
    import_preview(driver)
    driver["#import-start"].click()
    expect(driver["#import-summary"]).to_be_visible()
