"""On a phone of 360 by 740 pixels: names whole, the list at the top, all within reach."""

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver

PHONE: ViewportSize = {"width": 360, "height": 740}
LONG = "Philodendron gloriosum ‘Zebra’, mother plant in the greenhouse"
CUT = """() => {
    const isCut = (name) =>
        name.scrollHeight > name.clientHeight + 1 || name.scrollWidth > name.clientWidth;
    return [...document.querySelectorAll("#rows .name")].filter(isCut).length;
}"""
COVERED = """() => {
    const grid = document.getElementById("grid").getBoundingClientRect();
    const toasts = document.getElementById("toasts").getBoundingClientRect();
    return toasts.top < grid.bottom && grid.top < toasts.bottom;
}"""


@pytest.fixture
def phone(open_page: OpenPage, service: Service, store: str, owner: str) -> PageDriver:
    """A list of thirty plants, two of them with a long name."""
    driver = open_page(service, viewport=PHONE, has_touch=True)
    driver.store, driver.owner = store, owner
    names = [f"{LONG}, {end}" for end in ("stem", "leaf")] + [f"Plant {n}" for n in range(28)]
    driver.create_plants(*({"id": n, "name": name, "tag": "herb"} for n, name in enumerate(names)))
    driver.sign_in().assert_count("30 plants")
    return driver


def top_of(driver: PageDriver, selector: str) -> float:
    box = driver[selector].first.bounding_box()
    assert box is not None
    return box["y"]


def test_long_names_are_whole(phone: PageDriver) -> None:
    assert phone.evaluate(CUT) == 0
    assert phone.names()[:2] == [f"{LONG}, stem", f"{LONG}, leaf"]


def test_the_list_begins_in_the_upper_third(phone: PageDriver) -> None:
    assert top_of(phone, "#rows .row") < PHONE["height"] / 3


def test_choosing_a_tag_shows_the_list(phone: PageDriver) -> None:
    phone.create_plants({"id": 99, "name": "Other", "tag": "shrub"})
    phone.assert_count("31 plants")
    phone["#tag-filter"].select_option("=shrub")
    phone.assert_count("1 of 31 plants")
    assert top_of(phone, "#rows .row") < PHONE["height"] / 3


def test_adding_is_within_the_thumbs_reach(phone: PageDriver) -> None:
    assert top_of(phone, "details:has(#add-form) > summary") > PHONE["height"] * 2 / 3
    phone["details:has(#add-form) > summary"].tap()
    phone.add_plant("New")
    phone.assert_count("31 plants")


def test_a_message_covers_no_row(phone: PageDriver) -> None:
    phone["#rows .check"].first.tap()
    phone["#delete-selected"].tap()
    phone.assert_shows("Deleted", "#toasts")
    assert not phone.evaluate(COVERED)


def test_all_are_selected_by_a_tap(phone: PageDriver) -> None:
    phone["#select-all"].tap()
    phone.assert_shows("30 selected", "#selection")


def test_a_plant_is_deleted_from_its_panel(phone: PageDriver) -> None:
    phone["#rows .name"].filter(has_text="leaf").tap()
    phone.assert_shows(f"{LONG}, leaf", "#detail")
    phone["#detail-delete"].tap()
    phone.assert_count("29 plants")
    phone.undo()
    phone.assert_count("30 plants")


def test_a_message_leaves_after_a_while(phone: PageDriver) -> None:
    phone.install_clock()
    phone["#export-summary"].tap()
    with phone.page.expect_download():
        phone["#export-csv"].tap()
    phone.assert_shows("Exported 30 plants", "#toasts")
    phone.page.clock.fast_forward(20_000)
    expect(phone["#toasts > *"]).to_have_count(0)
