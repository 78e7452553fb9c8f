"""Importing a file, from its choice to what became of its lines."""

from playwright.sync_api import expect

from tests.web.states.setup import StateSetup, allow_requests, state

BAD_FILE = "id,name,tag\n1,Fern,herb\nx,Aloe,\n3,,shrub\n4,Basil,herb\n5,Monstera,\n" + "".join(
    f"{number},Plant {number},tag {number % 5}\n" for number in range(100, 160)
)


@state
def import_choice(setup: StateSetup) -> None:
    setup.browse()["#import-open"].click()


@state
def import_drop(setup: StateSetup) -> None:
    driver = setup.browse()
    driver.evaluate("""() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["id,name"], "plants.csv"));
        document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer, bubbles: true}));
    }""")
    expect(driver["body.dropping"]).to_be_visible()


@state
def import_reason(setup: StateSetup) -> None:
    setup.browse().choose_file("spring order.csv", "id,name,tag\n")
    expect(setup.driver["#import-reason"]).to_be_visible()


@state
def import_preview(setup: StateSetup) -> None:
    setup.browse().choose_file("spring order.csv", BAD_FILE)
    expect(setup.driver["#import-preview"]).to_be_visible()


@state
def import_progress(setup: StateSetup) -> None:
    import_preview(setup)
    allow_requests(setup.driver, "**/plants", 30)
    setup.driver["#import-start"].click()
    expect(setup.driver["#import-progress-text"]).to_contain_text("30 of")


@state
def import_stopped(setup: StateSetup) -> None:
    import_progress(setup)
    setup.driver["#import-cancel"].click()
    setup.driver.assert_shows("Import stopped", "#import-summary")


@state
def import_summary(setup: StateSetup) -> None:
    import_preview(setup)
    setup.driver["#import-start"].click()
    expect(setup.driver["#import-summary"]).to_be_visible()
