"""The page on a phone of 360 by 740 pixels: reachable, large enough to tap, and not cut off."""

from functools import partial

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.service import JSON, Service

PHONE: ViewportSize = {"width": 360, "height": 740}
LONG_NAME = "Philodendron gloriosum ‘Zebra’, mother plant in the greenhouse"
COUNT_CUT_CELLS = """() => {
    const cells = [...document.querySelectorAll("#conflict td")];
    return cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length;
}"""


@pytest.fixture
def phone(open_page: OpenPage, service: Service, store: str, owner: str) -> PageDriver:
    """The list of thirty plants, two of them with a long name, for the signed-in owner."""
    driver = open_page(service, viewport=PHONE, has_touch=True)
    driver.store, driver.owner = store, owner
    names = [f"{LONG_NAME}, {end}" for end in ("stem", "leaf")] + [f"Plant {n}" for n in range(28)]
    driver.create_many({"id": n, "name": name, "tag": "herb"} for n, name in enumerate(names))
    driver.sign_in().assert_count("30 plants")
    return driver


def top_of(driver: PageDriver, selector: str) -> float:
    box = driver[selector].first.bounding_box()
    assert box is not None
    return box["y"]


def open_add(phone: PageDriver) -> None:
    phone["#add-open"].tap()
    expect(phone["#add-name"]).to_be_focused()


def open_panel(phone: PageDriver, name: str) -> None:
    """Tap the first plant with this text in its name, and wait for its panel."""
    phone["#rows .name"].filter(has_text=name).first.tap()
    expect(phone["#panel-title"]).to_contain_text(name)
    expect(phone["#panel-title"]).to_be_focused()


def focus(phone: PageDriver, selector: str) -> None:
    phone[selector].tap()
    expect(phone[selector]).to_be_focused()


def test_the_form_to_add_plants_is_within_reach_of_the_thumb(phone: PageDriver) -> None:
    assert top_of(phone, "#add-open") > PHONE["height"] * 2 / 3
    open_add(phone)
    assert top_of(phone, "#add-name") > PHONE["height"] * 2 / 3
    phone.type("Basil\nMint\n", delay=60)
    phone.assert_count("32 plants")
    assert phone.names()[:2] == ["Mint", "Basil"]
    phone.undo()
    phone.assert_count("31 plants")
    phone["#add-close"].tap()
    expect(phone["#add-open"]).to_be_visible()


def test_a_long_message_and_its_buttons_fit_the_width(phone: PageDriver) -> None:
    phone.choose_file("new.csv", "name,id\n,1001\nFern,1002\nx,1003,x\n")
    phone["#import-start"].tap()
    phone.assert_shows("2 lines were not imported", "#message")
    for selector in ("#message-text", "#message button:text('Undo')", "#message .close"):
        box = phone[selector].bounding_box()
        assert box is not None
        assert box["width"] > 20
        assert 0 <= box["x"] < box["x"] + box["width"] <= PHONE["width"]


def test_the_message_says_why_a_plant_was_refused(phone: PageDriver) -> None:
    phone.respond("**/changes", 403, '{"error": 40302, "message": "the store is full"}')
    open_add(phone)
    phone.type("Basil\n")
    phone.assert_shows("ask the owner of the service for more space", "#message")


def test_a_tap_opens_the_panel_of_a_new_plant_only_once_it_is_stored(phone: PageDriver) -> None:
    held = phone.hold("**/changes")
    open_add(phone)
    phone.type("Basil\n")
    phone["#rows .name"].first.tap()
    phone.settle()
    expect(phone["#panel"]).to_be_hidden()
    held.release()
    phone.assert_shows("Added Basil", "#message")
    phone["#rows .name"].first.tap()
    expect(phone["#panel-title"]).to_have_text("Basil")


def test_a_tap_opens_the_panel_where_a_plant_is_edited_or_deleted(phone: PageDriver) -> None:
    open_panel(phone, f"{LONG_NAME}, leaf")
    phone["#panel-delete"].tap()
    phone.assert_count("29 plants")
    phone.undo()
    phone.assert_count("30 plants")
    open_panel(phone, f"{LONG_NAME}, stem")
    phone["#panel-tag"].press("ControlOrMeta+a")
    phone.type("rare\n")
    phone.assert_stored(0, f"{LONG_NAME}, stem", "rare")


def test_the_panel_is_at_the_bottom_and_going_back_saves_its_edit(phone: PageDriver) -> None:
    open_panel(phone, "Plant 1")
    assert top_of(phone, "#panel") > 100
    assert top_of(phone, "#panel-code") < PHONE["height"]
    focus(phone, "#panel-tag")
    phone.page.keyboard.press("ControlOrMeta+a")
    phone.type("h")
    phone["#picker li"].tap()
    expect(phone["#panel-tag"]).to_have_value("herb")
    phone["#panel-tag"].press("ControlOrMeta+a")
    phone.type("rare")
    phone.page.go_back()
    phone.assert_stored(3, "Plant 1", "rare")


def test_a_tap_in_the_tag_picker_does_not_reach_the_button_below_it(phone: PageDriver) -> None:
    phone.create_many({"id": n, "name": f"Fern {n}", "tag": f"bed {n}"} for n in range(100, 110))
    phone.assert_count("40 plants")
    open_panel(phone, "Plant 1")
    button = phone["#panel-delete"].bounding_box()
    assert button is not None
    phone["#panel-tag"].tap()
    expect(phone["#picker"]).to_be_visible()
    phone.page.touchscreen.tap(button["x"] + 20, button["y"] + button["height"] / 2)
    expect(phone["#picker"]).to_be_hidden()
    phone.wait_until(lambda: phone.list_plants()[3].get("tag", "").startswith("bed"))
    expect(phone["#panel"]).to_be_visible()


def test_a_tap_outside_a_menu_only_closes_the_menu(phone: PageDriver) -> None:
    phone["#filter-open"].tap()
    expect(phone["#filter-menu"]).to_be_visible()
    phone.page.touchscreen.tap(60, 500)
    expect(phone["#filter-menu"]).to_be_hidden()
    phone.settle()
    expect(phone["#panel"]).to_be_hidden()
    phone["#rows .name"].nth(5).tap()
    expect(phone["#panel"]).to_be_visible()


def test_menu_items_and_tags_to_pick_are_at_least_40_pixels_high(phone: PageDriver) -> None:
    for menu, item in (("#filter-open", "#filter-menu button"), ("#more-open", "#import-open")):
        phone[menu].tap()
        expect(phone[item].first).to_be_visible()
        box = phone[item].first.bounding_box()
        assert box is not None
        assert box["height"] >= 40
        phone.page.keyboard.press("Escape")
    open_panel(phone, LONG_NAME)
    phone["#panel-tag"].press("ControlOrMeta+a")
    phone.type("h")
    box = phone["#picker li"].bounding_box()
    assert box is not None
    assert box["height"] >= 40


def test_the_buttons_of_an_import_are_visible_without_scrolling(phone: PageDriver) -> None:
    phone.choose_file("new.csv", "".join(f"{LONG_NAME} {n}\n" for n in range(20)) + ",\nx,y,z\n")
    buttons = ("#import-start", "#import-other", "#import-preview button:text('Cancel')")
    for selector in ("#import-title", *buttons):
        expect(phone[selector]).to_be_in_viewport(ratio=1)
    phone["#import-start"].tap()
    phone.assert_shows("Imported 20 plants", "#message")


def test_the_search_field_is_wide_enough_on_the_narrowest_phone(phone: PageDriver) -> None:
    def has_room(min_width: int) -> bool:
        box, button = phone["#find"].bounding_box(), phone["#filter-open"].bounding_box()
        return bool(box and button and min_width <= box["width"] < button["x"] - box["x"])

    phone.page.set_viewport_size({"width": 320, "height": 640})
    for min_width in (48, 60):  # without a filter, then with a filter
        phone.wait_until(partial(has_room, min_width))
        phone.filter("herb")


def test_two_taps_select_all_plants(phone: PageDriver) -> None:
    phone["#rows .check"].first.tap()
    phone["#select-rest"].tap()
    phone.assert_shows("30 selected", "#selection")


def test_a_search_does_not_move_the_search_field_or_the_list(phone: PageDriver) -> None:
    tops = [top_of(phone, selector) for selector in ("#find", "#grid")]
    focus(phone, "#find")
    phone.type("plant 1")
    phone.assert_count("12 of 30 plants")
    assert [top_of(phone, selector) for selector in ("#find", "#grid")] == tops


def test_a_conflict_shows_both_versions_uncut_and_can_be_resolved(phone: PageDriver) -> None:
    open_panel(phone, LONG_NAME)
    held = phone.hold("**/plants/0")
    phone["#panel-name"].press("ControlOrMeta+a")
    phone.type(f"{LONG_NAME}, mine\n")
    phone.wait_until(lambda: held.routes)
    with phone.service.client(phone.owner) as client:
        client.put("/plants/0", json={"name": LONG_NAME}, headers=JSON).raise_for_status()
    held.release()
    phone.assert_shows(f"{LONG_NAME}, mine", "#conflict")
    assert phone.evaluate(COUNT_CUT_CELLS) == 0
    phone["#conflict [value=edit]"].tap()
    expect(phone["#panel-name"]).to_be_focused()
    expect(phone["#panel-name"]).to_have_value(f"{LONG_NAME}, mine")
    phone.page.keyboard.press("Enter")
    phone.assert_stored(0, f"{LONG_NAME}, mine", None)
