"""Several deletes in a row, by mouse or key: each hits the plant that was aimed at, at any latency.

Nothing moves under a mouse in use, whatever is deleted or added meanwhile, and by whomever.
"""

import pytest
from playwright.sync_api import expect

from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.service import Service

PACE = pytest.mark.parametrize(("latency", "gap"), [(0, 50), (400, 50), (400, 300)])
REST = 6_000  # milliseconds: the mouse no longer holds the rows
# Its time stops, or goes on from there.
SET_TIME = "now => { performance.now = () => now; }"


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of P1 to P12, every second with a tag, for the signed-in owner."""
    tags: list[dict[str, str]] = [{}, {"tag": "herb"}]
    driver.create_many({"id": n, "name": f"P{n}"} | tags[n % 2] for n in range(1, 13))
    driver.sign_in().assert_count("12 plants")
    return driver


def bins(driver: PageDriver, *numbers: int) -> list[tuple[float, float]]:
    """Where the bins of these rows are now."""
    boxes = [driver["#rows .remove"].nth(number - 1).bounding_box() for number in numbers]
    return [(box["x"] + 15, box["y"] + 14) for box in boxes if box]


def click_each(driver: PageDriver, places: list[tuple[float, float]], gap: int) -> None:
    for x, y in places:
        driver.page.mouse.click(x, y)
        driver.page.wait_for_timeout(gap)


def assert_left(driver: PageDriver, *deleted: int, count: int = 12) -> None:
    """Wait until these plants, and no others, are deleted."""
    driver.settle()
    left = [f"P{n}" for n in range(1, count + 1) if n not in deleted]
    assert [plant["name"] for plant in driver.list_plants()] == left


@PACE
def test_clicks_on_three_bins_delete_these_three_plants(
    list_page: PageDriver, latency: int, gap: int
) -> None:
    list_page.delay(latency)
    click_each(list_page, bins(list_page, 3, 4, 5), gap)
    list_page.assert_count("9 plants")
    assert_left(list_page, 3, 4, 5)
    assert list_page["#rows .gone .text"].all_inner_texts() == ["P3", "P4", "P5"]
    list_page.page.mouse.move(0, 0)
    expect(list_page["#rows .row"]).to_have_count(9)
    list_page.undo()
    expect(list_page["#rows .row"]).to_have_count(10)
    assert_left(list_page, 3, 4)


@PACE
def test_the_delete_key_deletes_the_row_and_then_the_next_that_remains(
    list_page: PageDriver, latency: int, gap: int
) -> None:
    list_page.delay(latency)
    list_page["#grid"].press("ArrowDown")
    for _ in range(3):
        list_page.page.keyboard.press("Delete")
        list_page.page.wait_for_timeout(gap)
    list_page.assert_count("9 plants")
    assert_left(list_page, 2, 3, 4)
    assert list_page.active_name() == "P5"


def test_a_selection_is_deleted_once_and_the_next_delete_takes_the_next_row(
    list_page: PageDriver,
) -> None:
    held = list_page.hold("**/changes")
    list_page["#grid"].press("End")
    for key in ("Shift+ArrowUp", "Delete"):
        list_page["#grid"].press(key)
    expect(list_page["#selection"]).to_be_hidden()
    assert list_page.active_name() == "P10"  # none remains below
    list_page["#grid"].press("Delete")
    held.release()
    list_page.assert_count("9 plants")
    assert_left(list_page, 10, 11, 12)


def test_rows_of_failed_deletes_are_as_before(list_page: PageDriver) -> None:
    error = '{"error": 50001, "message": "the service failed"}'
    list_page.respond("**/changes", 500, error)
    click_each(list_page, bins(list_page, 3), 0)
    list_page["#grid"].press("Delete")
    list_page.assert_shows("Not saved: P4", "#message")
    expect(list_page["#rows .gone"]).to_have_count(0)
    assert_left(list_page)


def test_a_double_click_on_a_bin_deletes_one_plant_in_a_sorted_search(
    list_page: PageDriver,
) -> None:
    list_page.delay(400)
    list_page["#sort-open"].click()
    list_page["#sort-menu [data-order='-id']"].click()
    list_page.filter("herb")
    list_page.assert_count("6 of 12 plants")
    for x, y in bins(list_page, 2, 3):  # P9, P7
        list_page.page.mouse.dblclick(x, y)
    list_page.assert_count("4 of 10 plants")
    assert_left(list_page, 7, 9)


def test_others_changes_move_nothing_under_a_mouse_in_use(list_page: PageDriver) -> None:
    [(x, y)] = bins(list_page, 5)
    list_page.page.mouse.move(x, y)
    with list_page.service.client(list_page.owner) as client:
        client.post("/plants", json={"id": -1, "name": "P-1"}).raise_for_status()
        client.delete("/plants/1").raise_for_status()
        list_page.assert_count("12 plants")
        client.delete("/plants/2").raise_for_status()
    list_page.assert_count("11 plants")
    assert list_page["#rows .gone .text"].all_inner_texts() == ["P1", "P2"]
    list_page.page.mouse.click(x, y)
    list_page.assert_shows("Deleted P5", "#message")
    list_page.page.mouse.move(0, 0)
    expect(list_page["#rows .text"].first).to_have_text("P-1")
    assert list_page.names() == ["P-1", "P3", "P4", *(f"P{n}" for n in range(6, 13))]


def test_a_click_just_after_rows_moved_under_a_resting_mouse_deletes_nothing(
    list_page: PageDriver,
) -> None:
    list_page.install_clock()
    [place] = bins(list_page, 5)
    list_page.page.mouse.move(*place)
    list_page.page.clock.fast_forward(REST)
    list_page.page.evaluate(SET_TIME, 1_000_000)
    list_page.create_plants({"id": -1, "name": "P-1"})
    expect(list_page["#rows .text"].first).to_have_text("P-1")
    click_each(list_page, [place], 0)
    list_page.settle()
    assert len(list_page.list_plants()) == 13
    list_page.page.evaluate(SET_TIME, 1_001_000)
    click_each(list_page, [place], 0)  # the user sees P4 there by now
    list_page.assert_shows("Deleted P4", "#message")


def test_the_next_row_in_a_long_list_stays_in_sight(driver: PageDriver) -> None:
    driver.create_many({"id": n, "name": f"P{n}"} for n in range(1, 5001))
    driver.sign_in().assert_count("5,000 plants")
    driver.hold("**/changes")
    driver["#grid"].press("PageDown")
    for _ in range(12):
        driver["#grid"].press("Delete")
        driver.settle()
        expect(driver["#rows .row.active"]).to_be_in_viewport(ratio=0.9)


def test_a_plant_stored_under_a_mouse_in_use_keeps_its_row(list_page: PageDriver) -> None:
    held = list_page.hold("**/changes")
    list_page.open_add()
    list_page.type("New\n")
    expect(list_page["#rows .text"].first).to_have_text("New")
    list_page["#rows .text"].nth(3).hover()
    held.release()
    list_page.assert_shows("Added New (13)", "#message")
    list_page.settle()
    assert list_page["#rows .id"].first.inner_text() == "13"  # before the mouse has rested
    assert list_page["#rows .gone"].count() == 0


def test_a_tap_on_a_wide_screen_opens_the_panel_also_where_a_bin_would_be(
    open_page: OpenPage, service: Service, store: str, owner: str
) -> None:
    driver = open_page(service, has_touch=True)
    driver.store, driver.owner = store, owner
    driver.create_plants(*({"id": n, "name": f"P{n}"} for n in (1, 2, 3)))
    driver.sign_in().assert_count("3 plants")
    [(x, y)] = bins(driver, 2)
    driver.page.touchscreen.tap(x, y)
    expect(driver["#panel-title"]).to_have_text("P2")
    driver["#panel-delete"].tap()
    driver.assert_count("2 plants")
    expect(driver["#rows .row"]).to_have_count(2)
