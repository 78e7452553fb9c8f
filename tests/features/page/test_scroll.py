"""The scroll position of a long list: clicks, messages and others' changes do not move it."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store

SCROLL_TOP = 20_000
NAME_AT_300 = """() => {
    const { left, top } = document.getElementById("grid").getBoundingClientRect();
    const row = document.elementFromPoint(left + 14, top + 300).closest("#rows .row");
    return row?.querySelector(".name").textContent;
}"""
GET_SCROLL_TOP = "document.getElementById('grid').scrollTop"


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """The list of 1,000 plants, for the signed-in owner."""
    fill_store(driver.service, driver.store, 1000)
    driver.sign_in().assert_count("1,000 plants")
    return driver


def scroll_down(driver: PageDriver) -> None:
    driver["#grid"].hover()
    driver.page.mouse.wheel(0, SCROLL_TOP)
    driver.wait_until(
        lambda: driver.evaluate(GET_SCROLL_TOP) == SCROLL_TOP and driver.evaluate(NAME_AT_300)
    )


def test_a_click_far_down_the_list_selects_the_clicked_plant(driver: PageDriver) -> None:
    for focused in ("#grid", "#find"):
        driver[focused].focus()
        scroll_down(driver)
        name = driver.evaluate(NAME_AT_300)
        driver["#grid"].click(position={"x": 14, "y": 300})
        driver.assert_shows("1 selected", "#selection")
        assert driver["#rows [aria-selected=true] .name"].all_inner_texts() == [name]
        assert driver.evaluate(GET_SCROLL_TOP) == SCROLL_TOP
        driver.page.keyboard.press("Escape")
        driver.page.keyboard.press("Home")


def test_others_deletes_and_a_closed_message_do_not_move_the_list(driver: PageDriver) -> None:
    driver["#rows .remove"].nth(9).click()
    driver.assert_shows("Deleted 000010xxxx", "#message")
    scroll_down(driver)
    name = driver.evaluate(NAME_AT_300)
    driver.page.get_by_role("button", name="Close").click()
    expect(driver["#message"]).to_be_hidden()
    driver.settle()
    assert driver.evaluate(NAME_AT_300) == name
    with driver.service.client(driver.owner) as client:
        for number in range(1, 6):
            client.delete(f"/plants/{number}").raise_for_status()
    driver.assert_count("994 plants")
    assert driver.evaluate(NAME_AT_300) == name


def test_going_back_from_the_panel_keeps_the_position_and_selection(driver: PageDriver) -> None:
    scroll_down(driver)
    name = driver.evaluate(NAME_AT_300)
    driver["#grid"].click(position={"x": 14, "y": 300})
    driver.page.keyboard.press("Control+i")
    expect(driver["#panel-title"]).to_have_text(name)
    driver.page.go_back()
    expect(driver["#panel"]).to_be_hidden()
    assert driver.evaluate(NAME_AT_300) == name
    driver.assert_shows("1 selected", "#selection")
