"""A proxy that responds in the service's place: the page does not take its response as success."""

import re

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

HTML = "<!doctype html><title>Sign in to the Wi-Fi</title>"


def test_an_html_response_from_a_proxy_is_not_taken_as_success(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.sign_in().assert_count("1 plant")
    driver.respond(re.compile("/(plants|changes)$"), 200, HTML, "text/html")
    driver.submit_plant("Aloe")
    expect(driver["#rows .row.refused"]).to_contain_text("Aloe")
    expect(driver["#rows .row.refused"]).to_contain_text("The response (status 200) did not come")
    driver.page.get_by_role("button", name="Delete Fern").click()
    driver.assert_shows("Not saved: Fern. The response (status 200) did not", "#message")
    driver.choose_file("a.csv", "id,name\n7,Basil\n")
    driver["#import-start"].click()
    driver.assert_shows("1 line was not imported: The response (status 200)", "#message")
    driver.assert_count("1 plant")
    driver.page.unroute_all()
    driver["#rows .row.refused"].get_by_role("button", name="Try again").click()
    driver.assert_shows("Added Aloe (2)", "#message")
    assert len(driver.list_plants()) == 2
