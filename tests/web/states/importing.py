"""Importing a file, from its choice to what became of its lines."""

from playwright.sync_api import expect

from tests.web.states.stage import Stage, let_through, state

BAD_FILE = "id,name,tag\n1,Fern,herb\nx,Aloe,\n3,,shrub\n4,Basil,herb\n5,Monstera,\n" + "".join(
    f"{number},Plant {number},tag {number % 5}\n" for number in range(100, 160)
)


@state
def import_choice(stage: Stage) -> None:
    stage.browse()["#import-open"].click()


@state
def import_drop(stage: Stage) -> None:
    visitor = stage.browse()
    visitor.stays("""() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["id,name"], "plants.csv"));
        document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer, bubbles: true}));
    }""")
    expect(visitor["body.dropping"]).to_be_visible()


@state
def import_fault(stage: Stage) -> None:
    stage.browse().choose_file("spring order.csv", "id,name,tag\n")
    expect(stage.visitor["#import-fault"]).to_be_visible()


@state
def import_preview(stage: Stage) -> None:
    stage.browse().choose_file("spring order.csv", BAD_FILE)
    expect(stage.visitor["#import-preview"]).to_be_visible()


@state
def import_progress(stage: Stage) -> None:
    import_preview(stage)
    let_through(stage.visitor, "**/plants", 30)
    stage.visitor["#import-start"].click()
    expect(stage.visitor["#import-progress-text"]).to_contain_text("30 of")


@state
def import_stopped(stage: Stage) -> None:
    import_progress(stage)
    stage.visitor["#import-cancel"].click()
    stage.visitor.sees("Import stopped", "#import-summary")


@state
def import_summary(stage: Stage) -> None:
    import_preview(stage)
    stage.visitor["#import-start"].click()
    expect(stage.visitor["#import-summary"]).to_be_visible()
