"""All of it by keyboard alone."""

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver


def tab_to(driver: PageDriver, selector: str) -> None:
    """Press Tab until the part has the focus."""
    for _ in range(40):
        if driver.evaluate(f"document.activeElement.matches({selector!r})"):
            return
        driver.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")


def test_a_day_by_keyboard(driver: PageDriver) -> None:
    driver.create_plants(*({"id": n, "name": f"Plant {n}", "tag": f"t{n % 3}"} for n in range(50)))
    driver.open()
    keyboard = driver.page.keyboard
    expect(driver["#token"]).to_be_focused()
    keyboard.type(driver.owner)
    keyboard.press("Enter")
    driver.assert_count("50 plants")

    tab_to(driver, "#find")
    keyboard.type("plant 4")
    driver.assert_count("11 of 50 plants")
    tab_to(driver, "#grid")
    assert driver.active_name() == "Plant 4"
    keyboard.press("ArrowDown")
    keyboard.press("Space")
    keyboard.press("Shift+ArrowDown")
    driver.assert_shows("2 selected", "#selection")
    keyboard.press("Delete")
    driver.assert_shows("Deleted 2 plants", "#toasts")
    expect(driver["#grid"]).to_be_focused()
    assert len(driver.list_plants()) == 48

    tab_to(driver, "#toasts button")
    keyboard.press("Enter")
    driver.assert_shows("Restored 2 plants", "#toasts")
    assert len(driver.list_plants()) == 50

    keyboard.press("/")
    expect(driver["#find"]).to_be_focused()
    tab_to(driver, "#export-summary")
    keyboard.press("Enter")
    expect(driver["#export-csv"]).to_be_visible()
    keyboard.press("Escape")
    expect(driver["#export-csv"]).to_be_hidden()

    tab_to(driver, "#add-name")
    keyboard.type("Typed")
    keyboard.press("Enter")
    driver.assert_shows("Added Typed, id 50", "#add-done")
    tab_to(driver, "#tag-bars button")
    keyboard.press("Enter")
    driver.assert_shows("of 51 plants", "#count")
    tab_to(driver, "#sign-out")
    keyboard.press("Enter")
    expect(driver["#sign-in"]).to_be_visible()


def test_the_grid_moves_by_its_keys(driver: PageDriver) -> None:
    driver.create_plants(*({"id": n, "name": f"Plant {n}"} for n in range(200)))
    driver.sign_in().assert_count("200 plants")
    grid = driver["#grid"]
    grid.focus()
    for key, name in (
        ("ArrowDown", "Plant 1"),
        ("ArrowUp", "Plant 0"),
        ("ArrowUp", "Plant 0"),
        ("End", "Plant 199"),
        ("ArrowDown", "Plant 199"),
        ("Home", "Plant 0"),
    ):
        grid.press(key)
        assert driver.active_name() == name
    grid.press("PageDown")
    assert driver.active_name() not in {"Plant 0", "Plant 1"}
    grid.press("Control+a")
    driver.assert_shows("200 selected", "#selection")
    grid.press("Escape")
    expect(driver["#selection"]).to_be_hidden()


def test_what_happens_is_announced_the_last_of_what_changes_with_each_key(
    driver: PageDriver,
) -> None:
    driver.create_plants({"id": 1, "name": "Fern"}, {"id": 2, "name": "Ficus"})
    driver.install_clock()
    driver.sign_in()
    driver.assert_shows("2 plants", "#announcements")
    driver.add_plant("Aloe")
    driver.assert_shows("Added Aloe, id 3", "#announcements")
    driver.page.clock.pause_at("2100-01-01")
    driver["#find"].press_sequentially("fe")
    driver.assert_count("1 of 3 plants")
    driver.page.clock.fast_forward(1_000)
    driver.assert_shows("1 of 3 plants", "#announcements")
    expect(driver["#announcements"]).not_to_contain_text("2 of 3 plants")
    driver.page.clock.resume()
    driver["#rows .check"].first.click()
    driver.assert_shows("1 selected", "#announcements")
    driver["#delete-selected"].click()
    driver.assert_shows("Deleted Fern", "#announcements")
