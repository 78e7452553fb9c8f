"""Something in between responds in the service's place: it is not believed, and its words are."""

import pytest
from playwright.sync_api import expect

from tests.web.page_driver import PageDriver

HTML = "<!doctype html><title>Sign in to the Wi-Fi</title>"
BODIES = ("null", '{"error": "Bad Gateway"}', '{"detail": 1}', '{"message": {}}', '"x"', "[]", "")
WORDS = "the server answered with status 502"


def test_an_add_that_never_arrived_is_not_told_as_done(driver: PageDriver) -> None:
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("1")
    driver.respond("**/plants", 200, HTML, "text/html")
    driver.submit_plant("Fern")
    driver.assert_shows("answered", "#add-reason")
    expect(driver["#add-name"]).to_have_value("Fern")
    expect(driver["#add-done"]).to_be_empty()
    expect(driver["#state-empty"]).to_be_visible()
    driver.page.unroute("**/plants")
    driver["#add-button"].click()
    driver.assert_shows("Added Fern, id 1", "#add-done")
    assert len(driver.list_plants()) == 1


def test_a_delete_that_never_arrived_is_not_told_as_done(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.sign_in()
    driver.assert_count("1 plant")
    driver.respond("**/plants/*", 200, HTML, "text/html")
    driver["#rows .remove"].click()
    driver.assert_shows("Fern was not deleted", "#toasts")
    expect(driver["#toasts"]).to_contain_text("answered")
    driver.assert_count("1 plant")
    assert driver.names() == ["Fern"]


def test_an_import_that_never_arrived_is_not_told_as_done(driver: PageDriver) -> None:
    driver.sign_in()
    driver.choose_file("a.csv", "id,name\n1,Fern\n")
    driver.respond("**/plants", 200, HTML, "text/html")
    driver["#import-start"].click()
    driver.assert_shows("Not imported: 1 line: the server answered", "#toasts")


def test_a_page_is_no_list(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.open()
    driver.respond("**/plants?*", 200, HTML, "text/html")
    driver.sign_in()
    driver.assert_shows("answered", "#error-text")
    driver.page.unroute("**/plants?*")
    driver["#retry"].click()
    driver.assert_count("1 plant")


@pytest.mark.parametrize("status", [200, 502])
def test_a_page_is_no_user(driver: PageDriver, status: int) -> None:
    driver.open()
    driver.respond("**/me", status, HTML, "text/html")
    driver.submit_token(driver.owner)
    driver.assert_shows("answered" if status == 200 else WORDS, "#sign-in-reason")
    expect(driver["#token"]).to_have_value(driver.owner)
    expect(driver["#app"]).to_be_hidden()


def test_a_502_is_told_whatever_is_in_it(driver: PageDriver) -> None:
    driver.open()
    driver.respond("**/plants*", 500, '{"error": 50001, "message": "the service failed"}')
    driver.sign_in()
    for body in BODIES:
        driver.assert_shows("the service failed", "#error-text")
        driver.page.unroute("**/plants*")
        driver.respond("**/plants*", 502, body)
        driver["#retry"].click()
        driver.assert_shows(WORDS, "#error-text")
        driver.submit_plant("Fern", plant_id="1")
        driver.assert_shows(WORDS, "#add-reason")
        driver.page.unroute("**/plants*")
        driver.respond("**/plants*", 500, '{"error": 50001, "message": "the service failed"}')
        driver["#retry"].click()
        expect(driver["#add-done"]).to_be_empty()
