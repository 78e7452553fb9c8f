"""Adding and deleting plants."""

from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.service import JSON
from tests.web.page_driver import PageDriver
from tests.web.states.setup import allow_requests, browse, is_narrow, state, unfold


@state
def added(driver: PageDriver) -> None:
    browse(driver)
    unfold(driver, "#add-form")
    driver.add_plant("Zamioculcas zamiifolia", "tropical")


@state
def add_refused(driver: PageDriver) -> None:
    browse(driver)
    unfold(driver, "#add-form")
    driver.submit_plant("Another", "herb", "1001")
    expect(driver["#add-id-reason"]).to_be_visible()


@state
def selected(driver: PageDriver) -> None:
    browse(driver)
    driver["#grid"].focus()
    for key in ("Space", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
        driver["#grid"].press(key)
    expect(driver["#selection"]).to_be_visible()


@state
def asked(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 60)
    driver.sign_in().assert_count("60 plants")
    driver["#grid"].focus()
    driver["#grid"].press("Control+a")
    driver["#delete-selected"].click()
    expect(driver["#confirm"]).to_be_visible()


@state
def deleting(driver: PageDriver) -> None:
    browse(driver)
    allow_requests(driver, "**/plants/*", 20)
    driver["#grid"].focus()
    driver["#grid"].press("Control+a")
    driver["#delete-selected"].click()
    driver.assert_shows("Deleting 20 of 48", "#toasts")


@state
def deleted(driver: PageDriver) -> None:
    selected(driver)
    driver["#delete-selected"].click()
    driver.assert_shows("Deleted", "#toasts")


@state
def editing(driver: PageDriver) -> None:
    browse(driver)
    driver["#rows .name"].nth(2).click(click_count=1 if is_narrow(driver) else 2)
    expect(driver["#edit-name"]).to_be_visible()


@state
def edit_refused(driver: PageDriver) -> None:
    editing(driver)
    driver["#edit-name"].fill(" ")
    driver["#edit-name"].press("Enter")
    expect(driver["#edit-reason"]).to_be_visible()


@state
def edit_conflict(driver: PageDriver) -> None:
    editing(driver)
    driver["#edit-name"].fill("Aloe vera ‘Minima’")
    with driver.service.client(driver.owner) as client:
        client.put("/plants/1003", json={"name": "Aloe barbadensis"}, headers=JSON)
    driver["#edit-name"].press("Enter")
    expect(driver["#conflict"]).to_be_visible()


@state
def edited(driver: PageDriver) -> None:
    editing(driver)
    driver["#edit-tag"].fill("medicinal")
    driver["#edit-tag"].press("Enter")
    driver.assert_shows("Changed", "#toasts")
