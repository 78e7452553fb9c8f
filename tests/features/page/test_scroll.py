"""The place in a long list: a click, a message or a change by others does not move it."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store

DOWN = 20_000
AIMED = """() => {
    const { left, top } = document.getElementById("grid").getBoundingClientRect();
    const row = document.elementFromPoint(left + 14, top + 300).closest("#rows .row");
    return row?.querySelector(".name").textContent;
}"""
TOP = "document.getElementById('grid').scrollTop"


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    fill_store(driver.service, driver.store, 1000)
    driver.sign_in().assert_count("1,000 plants")
    return driver


def wheel(driver: PageDriver) -> None:
    driver["#grid"].hover()
    driver.page.mouse.wheel(0, DOWN)
    driver.wait_until(lambda: driver.evaluate(TOP) == DOWN and driver.evaluate(AIMED))


def test_a_click_far_down_selects_what_it_hits(driver: PageDriver) -> None:
    for focused in ("#grid", "#find"):
        driver[focused].focus()
        wheel(driver)
        aimed = driver.evaluate(AIMED)
        driver["#grid"].click(position={"x": 14, "y": 300})
        driver.assert_shows("1 selected", "#selection")
        assert driver["#rows [aria-selected=true] .name"].all_inner_texts() == [aimed]
        assert driver.evaluate(TOP) == DOWN
        driver.page.keyboard.press("Escape")
        driver.page.keyboard.press("Home")


def test_nothing_moves_the_list_that_others_or_a_message_do(driver: PageDriver) -> None:
    driver["#rows .remove"].nth(9).click()
    driver.assert_shows("Deleted 000010xxxx", "#message")
    wheel(driver)
    aimed = driver.evaluate(AIMED)
    driver.page.get_by_role("button", name="Close").click()
    expect(driver["#message"]).to_be_hidden()
    driver.settle()
    assert driver.evaluate(TOP) == DOWN
    with driver.service.client(driver.owner) as client:
        for number in range(1, 6):
            client.delete(f"/plants/{number}").raise_for_status()
    driver.assert_count("994 plants")
    assert driver.evaluate(AIMED) == aimed


def test_going_back_from_a_plant_leads_to_the_same_place_and_selection(driver: PageDriver) -> None:
    wheel(driver)
    aimed = driver.evaluate(AIMED)
    driver["#grid"].click(position={"x": 14, "y": 300})
    driver.page.keyboard.press("i")
    expect(driver["#panel-title"]).to_have_text(aimed)
    driver.page.go_back()
    expect(driver["#panel"]).to_be_hidden()
    assert driver.evaluate(AIMED) == aimed
    driver.assert_shows("1 selected", "#selection")
