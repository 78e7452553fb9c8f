"""The place in a long list: a click, a message or a change by others does not move it."""

import pytest
from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver

DOWN = 20_000
AIMED = """() => {
    const { left, top } = document.getElementById("grid").getBoundingClientRect();
    const row = document.elementFromPoint(left + 30, top + 300).closest("#rows .row");
    return row?.querySelector(".name").textContent;
}"""
TOP = "document.getElementById('grid').scrollTop"


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """A driver at a long list."""
    fill_store(driver.service, driver.store, 1000)
    driver.sign_in()
    driver.assert_count("1,000 plants")
    return driver


def wheel(driver: PageDriver) -> None:
    """Turn the wheel until the list is far down."""
    driver["#grid"].hover()
    driver.page.mouse.wheel(0, DOWN)
    driver.wait_until(lambda: driver.evaluate(TOP) == DOWN and driver.evaluate(AIMED))


@pytest.mark.parametrize("focused", [None, "#grid", "#find"])
def test_a_click_far_down_selects_what_it_hits(driver: PageDriver, focused: str | None) -> None:
    if focused:
        driver[focused].focus()
    wheel(driver)
    aimed = driver.evaluate(AIMED)
    driver["#grid"].click(position={"x": 30, "y": 300})
    driver.assert_shows("1 selected", "#selection")
    assert driver["#rows [aria-selected=true] .name"].all_inner_texts() == [aimed]
    assert driver.evaluate(TOP) == DOWN


def test_what_others_delete_above_leaves_the_rows_in_sight(driver: PageDriver) -> None:
    wheel(driver)
    aimed = driver.evaluate(AIMED)
    with driver.service.client(driver.owner) as client:
        for number in range(1, 6):
            client.delete(f"/plants/{number}").raise_for_status()
    driver.refocus()
    driver.assert_count("995 plants")
    assert driver.evaluate(AIMED) == aimed


def test_closing_a_message_leaves_the_list_where_it_is(driver: PageDriver) -> None:
    driver["#rows .remove"].first.click()
    driver.assert_shows("Deleted 000001xxxx", "#toasts")
    wheel(driver)
    driver.page.get_by_role("button", name="Close this message").click()
    expect(driver["#toasts > *"]).to_have_count(0)
    driver.settle()
    assert driver.evaluate(TOP) == DOWN
