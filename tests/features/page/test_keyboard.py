"""The page by keyboard alone: shortcuts, focus, and announcements for screen readers."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of one plant, Fern, for the signed-in owner."""
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.sign_in().assert_count("1 plant")
    return driver


def assert_focus_not_lost(driver: PageDriver) -> None:
    driver.settle()
    expect(driver["body"]).not_to_be_focused()


def tab_to(driver: PageDriver, selector: str) -> None:
    for _ in range(40):
        if driver.evaluate(f"document.activeElement.matches({selector!r})"):
            return
        driver.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")


def test_the_keyboard_alone_signs_in_edits_deletes_and_signs_out(driver: PageDriver) -> None:
    driver.create_plants(*({"id": n, "name": f"Plant {n}", "tag": f"t{n % 3}"} for n in range(50)))
    driver.open()
    press = driver.page.keyboard.press
    expect(driver["#token"]).to_be_focused()
    driver.type(f"{driver.owner}\n")
    driver.assert_count("50 plants")
    press("ArrowDown")
    assert driver.active_name() == "Plant 1"
    press("/")
    driver.type("plant 4\n")
    driver.assert_count("11 of 50 plants")
    assert driver.active_name() == "Plant 4"
    press("ArrowDown")
    press("Space")
    press("Shift+ArrowDown")
    driver.assert_shows("2 selected", "#selection")
    press("#")
    driver.type("potted\n", delay=20)
    driver.assert_shows("Set tag potted: 2 plants", "#message")
    press("Control+z")
    driver.assert_shows("Restored 2 plants", "#message")
    press("Delete")
    driver.assert_shows("Deleted 2 plants", "#message")
    expect(driver["#grid"]).to_be_focused()
    tab_to(driver, "#message button")
    press("Enter")
    driver.assert_shows("Restored 2 plants", "#message")
    assert len(driver.list_plants()) == 50
    tab_to(driver, "#filter-open")
    press("Enter")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        press(key)
    driver.assert_count("3 of 50 plants")
    press("Escape")
    expect(driver["#filter-open"]).to_be_focused()
    driver["#plants-title"].focus()
    press("+")
    driver.type("Typed\n", delay=20)
    driver.assert_shows("Added Typed (50)", "#message")
    press("ArrowDown")
    assert driver.active_name() == "Typed"
    press("Shift+ArrowDown")
    driver.assert_shows("2 selected", "#selection")
    tab_to(driver, "#person-open")
    press("Enter")
    tab_to(driver, "#sign-out")
    press("Enter")
    expect(driver["#sign-in"]).to_be_visible()


def test_arrows_home_end_and_page_down_move_the_active_row(driver: PageDriver) -> None:
    driver.create_many({"id": n, "name": f"Plant {n}"} for n in range(200))
    driver.sign_in().assert_count("200 plants")
    grid = driver["#grid"]
    grid.focus()
    for key, name in (
        ("ArrowDown", "Plant 1"),
        ("ArrowUp", "Plant 0"),
        ("End", "Plant 199"),
        ("ArrowDown", "Plant 199"),
        ("Home", "Plant 0"),
    ):
        grid.press(key)
        assert driver.active_name() == name
    grid.press("PageDown")
    assert driver.active_name() not in {"Plant 0", "Plant 1"}
    grid.press("Home")
    grid.press("ArrowUp")
    expect(driver["#add-name"]).to_be_focused()
    driver.page.keyboard.press("ArrowDown")
    expect(grid).to_be_focused()
    grid.press("Control+a")
    driver.assert_shows("200 selected", "#selection")
    grid.press("Escape")
    expect(driver["#selection"]).to_be_hidden()


def test_keys_act_on_the_list_after_a_click_outside_of_it(driver: PageDriver) -> None:
    driver.create_many({"id": n, "name": f"Plant {n}"} for n in range(3))
    driver.sign_in().assert_count("3 plants")
    driver["#count"].click()
    expect(driver["#grid"]).to_be_focused()
    driver.page.keyboard.press("ArrowDown")
    assert driver.active_name() == "Plant 1"
    driver["#grid [data-order=name]"].click()
    driver.type("#")
    driver.type("shade\n", delay=20)
    driver.assert_stored(0, "Plant 0", "shade")


def test_tab_saves_a_field_of_the_panel_and_moves_to_the_next(list_page: PageDriver) -> None:
    list_page["#grid"].press("Control+i")
    list_page["#panel-name"].press("ControlOrMeta+a")
    list_page.type("Moss\tbed 9", delay=20)
    expect(list_page["#panel-tag"]).to_be_focused()
    list_page.page.keyboard.press("Enter")
    list_page.assert_stored(1, "Moss", "bed 9")


def test_slash_focuses_the_search_but_not_with_alt_or_in_a_field(list_page: PageDriver) -> None:
    list_page["#grid"].press("Alt+/")
    expect(list_page["#grid"]).to_be_focused()
    list_page["#grid"].press("/")
    expect(list_page["#find"]).to_be_focused()
    expect(list_page["#find"]).to_have_value("")
    list_page["#add-name"].press("/")
    expect(list_page["#add-name"]).to_have_value("/")


@pytest.mark.parametrize("focused", ["#select-all", "#person-open", "#count"])
def test_a_word_typed_outside_a_field_is_searched_for(list_page: PageDriver, focused: str) -> None:
    requests = list_page.record_requests("POST")
    list_page[focused].click() if focused == "#count" else list_page[focused].focus()
    for word in ("tulip\n", "P07\n", "narcissus\n", "iris 2\n", "Fern\n"):
        list_page.type(word)
        expect(list_page["#find"]).to_have_value(word.strip())
        expect(list_page["#grid"]).to_be_focused()
    assert requests == []


def test_letters_do_not_end_a_selection(list_page: PageDriver) -> None:
    list_page["#grid"].press("Space")
    list_page.type("tulip")
    list_page.assert_shows("1 selected", "#selection")
    expect(list_page["#find"]).to_have_value("")
    list_page.page.keyboard.press("Escape")
    list_page.type("P07")
    expect(list_page["#find"]).to_have_value("P07")


def test_the_focus_is_never_lost_after_retry_close_skip_or_import(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.respond("**/plants?*", 500, '{"error": 50001, "message": "the service failed"}')
    driver.sign_in()
    expect(driver["#state-error"]).to_be_visible()
    driver.evaluate("globalThis.read = document.querySelector('#error-title').firstChild, 0")
    driver["#find"].fill("x")  # redraws the page; screen readers would read a new text again
    driver.settle()
    assert driver.evaluate("read.isConnected")
    driver["#clear-search"].click()
    driver.page.unroute("**/plants?*")
    driver["#retry"].press("Enter")
    driver.assert_count("1 plant")
    assert_focus_not_lost(driver)
    driver["#grid"].press("Delete")
    driver.assert_shows("Deleted Fern", "#message")
    expect(driver["#state-empty"]).to_be_visible()
    driver["#message"].get_by_role("button", name="Close").press("Enter")
    expect(driver["#message"]).to_be_hidden()
    assert_focus_not_lost(driver)
    address = driver.address()
    driver["#skip"].press("Enter")
    expect(driver["#grid"]).to_be_focused()
    assert driver.address() == address
    driver["#empty-import"].press("Enter")
    expect(driver["#import-choose"]).to_be_visible()
    driver.set_file("a.csv", "1,Fern\n")
    driver["#import-start"].press("Enter")
    driver.assert_count("1 plant")
    assert_focus_not_lost(driver)


def test_actions_and_only_the_last_search_result_are_announced(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"}, {"id": 2, "name": "Ficus"})
    driver.install_clock()
    driver.sign_in().assert_count("2 plants")
    driver.page.clock.pause_at("2100-01-01")
    driver.add_plant("Aloe")
    driver.page.clock.fast_forward(1_000)
    expect(driver["#announcements"]).to_have_text("Added Aloe (3)")
    driver["#find"].press_sequentially("fe")
    driver.assert_count("1 of 3 plants")
    driver.page.clock.fast_forward(1_000)
    driver.assert_shows("1 plant found", "#announcements")
    expect(driver["#announcements"]).not_to_contain_text("2 plants found")
    driver.page.clock.resume()
    driver["#rows .check"].first.click()
    driver.assert_shows("1 selected", "#announcements")
    driver["#delete-selected"].click()
    driver.assert_shows("Deleted Fern", "#announcements")
