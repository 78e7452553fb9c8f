"""Adding and deleting plants."""

from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.web.states.setup import StateSetup, allow_requests, state, unfold


@state
def added(setup: StateSetup) -> None:
    driver = setup.browse()
    unfold(driver, "#add-form")
    driver.add_plant("Zamioculcas zamiifolia", "tropical")


@state
def add_refused(setup: StateSetup) -> None:
    driver = setup.browse()
    unfold(driver, "#add-form")
    driver.submit_plant("Another", "herb", "1001")
    expect(driver["#add-id-reason"]).to_be_visible()


@state
def selected(setup: StateSetup) -> None:
    driver = setup.browse()
    driver["#grid"].focus()
    for key in ("Space", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
        driver["#grid"].press(key)
    expect(driver["#selection"]).to_be_visible()


@state
def asked(setup: StateSetup) -> None:
    fill_store(setup.service, setup.store, 60)
    setup.driver.sign_in(setup.token).assert_count("60 plants")
    setup.driver["#grid"].focus()
    setup.driver["#grid"].press("Control+a")
    setup.driver["#delete-selected"].click()
    expect(setup.driver["#confirm"]).to_be_visible()


@state
def deleting(setup: StateSetup) -> None:
    driver = setup.browse()
    allow_requests(driver, "**/plants/*", 20)
    driver["#grid"].focus()
    driver["#grid"].press("Control+a")
    driver["#delete-selected"].click()
    driver.assert_shows("Deleting 20 of 48", "#toasts")


@state
def deleted(setup: StateSetup) -> None:
    selected(setup)
    setup.driver["#delete-selected"].click()
    setup.driver.assert_shows("Deleted", "#toasts")
