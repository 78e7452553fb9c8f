"""Adding and deleting plants."""

from playwright.sync_api import expect

from tests.http.stalls import fill_store
from tests.web.states.stage import Stage, let_through, state, unfold


@state
def added(stage: Stage) -> None:
    visitor = stage.browse()
    unfold(visitor, "#add-form")
    visitor.adds("Zamioculcas zamiifolia", "tropical")


@state
def add_refused(stage: Stage) -> None:
    visitor = stage.browse()
    unfold(visitor, "#add-form")
    visitor.add("Another", "herb", "1001")
    expect(visitor["#add-id-fault"]).to_be_visible()


@state
def selected(stage: Stage) -> None:
    visitor = stage.browse()
    visitor["#grid"].focus()
    for key in ("Space", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
        visitor["#grid"].press(key)
    expect(visitor["#selection"]).to_be_visible()


@state
def asked(stage: Stage) -> None:
    fill_store(stage.service, stage.store, 60)
    stage.visitor.sign_in(stage.token).counts("60 plants")
    stage.visitor["#grid"].focus()
    stage.visitor["#grid"].press("Control+a")
    stage.visitor["#delete-selected"].click()
    expect(stage.visitor["#confirm"]).to_be_visible()


@state
def deleting(stage: Stage) -> None:
    visitor = stage.browse()
    let_through(visitor, "**/plants/*", 20)
    visitor["#grid"].focus()
    visitor["#grid"].press("Control+a")
    visitor["#delete-selected"].click()
    visitor.sees("Deleting 20 of 48", "#toasts")


@state
def deleted(stage: Stage) -> None:
    selected(stage)
    stage.visitor["#delete-selected"].click()
    stage.visitor.sees("Deleted", "#toasts")
