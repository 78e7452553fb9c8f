"""On a phone of 360 by 740 pixels: names whole, the list at the top, all within reach."""

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.service import JSON, Service

PHONE: ViewportSize = {"width": 360, "height": 740}
LONG = "Philodendron gloriosum ‘Zebra’, mother plant in the greenhouse"
CUT = """() => {
    const isCut = (name) =>
        name.scrollHeight > name.clientHeight + 1 || name.scrollWidth > name.clientWidth;
    return [...document.querySelectorAll("#rows .name")].filter(isCut).length;
}"""
CUT_VERSIONS = """() => {
    const cells = [...document.querySelectorAll("#conflict td")];
    return cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length;
}"""
COVERED = """() => {
    const grid = document.getElementById("grid").getBoundingClientRect();
    const toasts = document.getElementById("toasts").getBoundingClientRect();
    return toasts.top < grid.bottom && grid.top < toasts.bottom;
}"""
INSIDE = """() => {
    const card = document.getElementById("plants").getBoundingClientRect();
    const box = document.getElementById("export-summary").getBoundingClientRect();
    return box.left >= card.left && box.right <= card.right;
}"""


@pytest.fixture
def phone(open_page: OpenPage, service: Service, store: str, owner: str) -> PageDriver:
    """A list of thirty plants, two of them with a long name, that is not open yet."""
    driver = open_page(service, viewport=PHONE, has_touch=True)
    driver.store, driver.owner = store, owner
    names = [f"{LONG}, {end}" for end in ("stem", "leaf")] + [f"Plant {n}" for n in range(28)]
    driver.create_plants(*({"id": n, "name": name, "tag": "herb"} for n, name in enumerate(names)))
    return driver


def top_of(driver: PageDriver, selector: str) -> float:
    box = driver[selector].first.bounding_box()
    assert box is not None
    return box["y"]


def test_the_list_is_at_the_top_and_the_rest_within_reach(phone: PageDriver) -> None:
    phone.sign_in().assert_count("30 plants")
    assert phone.evaluate(CUT) == 0
    assert phone.names()[:2] == [f"{LONG}, stem", f"{LONG}, leaf"]
    assert top_of(phone, "#rows .row") < PHONE["height"] / 3
    phone["#select-all"].tap()
    phone.assert_shows("30 selected", "#selection")
    assert top_of(phone, "details:has(#add-form) > summary") > PHONE["height"] * 2 / 3
    phone["details:has(#add-form) > summary"].tap()
    phone.add_plant("Other", "shrub")
    phone.filter("shrub")
    phone.assert_count("1 of 31 plants")
    assert top_of(phone, "#rows .row") < PHONE["height"] / 3


def test_large_letters_leave_all_buttons_in_sight(phone: PageDriver) -> None:
    phone.sign_in().assert_count("30 plants")
    phone.evaluate("document.documentElement.style.fontSize = '200%'")
    phone.wait_until(lambda: phone.evaluate(INSIDE))


def test_a_tap_opens_a_plant_to_edit_or_delete_it(phone: PageDriver) -> None:
    phone.sign_in()["#rows .name"].filter(has_text="leaf").tap()
    phone.assert_shows(f"{LONG}, leaf", "#detail")
    phone["#detail-delete"].tap()
    phone.assert_count("29 plants")
    phone.undo()
    phone.assert_count("30 plants")
    phone["#rows .name"].filter(has_text="stem").tap()
    phone["#edit-tag"].fill("rare")
    phone["#edit-save"].tap()
    phone.assert_shows("rare", "#rows")
    expect(phone["#detail"]).to_be_hidden()
    assert phone.list_plants()[0] == {"id": 0, "name": f"{LONG}, stem", "tag": "rare"}


def test_a_message_covers_no_row_and_leaves_after_a_while(phone: PageDriver) -> None:
    phone.install_clock()
    phone.sign_in()["#rows .check"].first.tap()
    phone["#delete-selected"].tap()
    phone.assert_shows("Deleted", "#message")
    assert not phone.evaluate(COVERED)
    phone.page.get_by_role("button", name="Close this message").tap()
    phone["#export-summary"].tap()
    with phone.page.expect_download():
        phone["#export-csv"].tap()
    phone.assert_shows("Exported 29 plants", "#message")
    phone.page.clock.fast_forward(20_000)
    expect(phone["#toasts > *"]).to_have_count(0)


def test_a_search_moves_nothing_above_the_list(phone: PageDriver) -> None:
    phone.sign_in().assert_count("30 plants")
    tops = [top_of(phone, selector) for selector in ("#find", "#grid")]
    phone["#find"].fill("plant 1")
    phone.assert_count("11 of 30 plants")
    assert [top_of(phone, selector) for selector in ("#find", "#grid")] == tops


def test_both_versions_in_a_conflict_are_whole(phone: PageDriver) -> None:
    phone.sign_in().assert_count("30 plants")
    phone["#rows .name"].first.tap()
    phone["#edit-name"].fill(f"{LONG}, mine")
    with phone.service.client(phone.owner) as client:
        client.put("/plants/0", json={"name": LONG}, headers=JSON).raise_for_status()
    phone["#edit-save"].tap()
    phone.assert_shows(f"{LONG}, mine", "#conflict")
    assert phone.evaluate(CUT_VERSIONS) == 0
