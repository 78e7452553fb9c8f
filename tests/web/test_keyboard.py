"""All of it by keyboard alone."""

from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant


def tab_to(visitor: Visitor, selector: str) -> None:
    """Press Tab until the part has the focus."""
    for _ in range(40):
        if visitor.stays(f"document.activeElement.matches({selector!r})"):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")


def test_a_day_by_keyboard(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, *({"id": n, "name": f"Plant {n}", "tag": f"t{n % 3}"} for n in range(50)))
    visitor = visit().open()
    keyboard = visitor.page.keyboard
    expect(visitor["#token"]).to_be_focused()
    keyboard.type(owner)
    keyboard.press("Enter")
    visitor.counts("50 plants")

    tab_to(visitor, "#find")
    keyboard.type("plant 4")
    visitor.counts("11 of 50 plants")
    tab_to(visitor, "#grid")
    assert visitor.active_name() == "Plant 4"
    keyboard.press("ArrowDown")
    keyboard.press("Space")
    keyboard.press("Shift+ArrowDown")
    visitor.sees("2 selected", "#selection")
    keyboard.press("Delete")
    visitor.sees("Deleted 2 plants", "#toasts")
    expect(visitor["#grid"]).to_be_focused()
    assert len(list_all(shop, owner)) == 48

    tab_to(visitor, "#toasts button")
    keyboard.press("Enter")
    visitor.sees("2 plants are back", "#toasts")
    assert len(list_all(shop, owner)) == 50

    keyboard.press("/")
    expect(visitor["#find"]).to_be_focused()
    tab_to(visitor, "#export-summary")
    keyboard.press("Enter")
    expect(visitor["#export-csv"]).to_be_visible()
    keyboard.press("Escape")
    expect(visitor["#export-csv"]).to_be_hidden()

    tab_to(visitor, "#add-name")
    keyboard.type("Typed")
    keyboard.press("Enter")
    visitor.sees("Added Typed, id 50", "#add-done")
    tab_to(visitor, "#tag-bars button")
    keyboard.press("Enter")
    visitor.sees("of 51 plants", "#count")
    tab_to(visitor, "#sign-out")
    keyboard.press("Enter")
    expect(visitor["#sign-in"]).to_be_visible()


def test_the_grid_moves_by_its_keys(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, *({"id": n, "name": f"Plant {n}"} for n in range(200)))
    visitor = visit().sign_in(owner)
    visitor.counts("200 plants")
    grid = visitor["#grid"]
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
        assert visitor.active_name() == name
    grid.press("PageDown")
    assert visitor.active_name() not in {"Plant 0", "Plant 1"}
    grid.press("Control+a")
    visitor.sees("200 selected", "#selection")
    grid.press("Escape")
    expect(visitor["#selection"]).to_be_hidden()


def test_dialogs_give_the_focus_back(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor["#import-open"].focus()
    visitor.page.keyboard.press("Enter")
    expect(visitor["#import-file"]).to_be_focused()
    visitor.page.keyboard.press("Escape")
    expect(visitor["#import-open"]).to_be_focused()


def test_what_happens_is_announced(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.counts("1 plant")
    visitor.adds("Aloe")
    visitor.sees("Added Aloe, id 2", "#announcements")
    visitor["#find"].fill("fern")
    visitor.sees("1 of 2 plants", "#announcements")
    visitor["#rows .check"].first.click()
    visitor.sees("1 selected", "#announcements")
    visitor["#delete-selected"].click()
    visitor.sees("Deleted Fern", "#announcements")


def test_of_what_changes_with_each_key_the_last_is_announced(
    visit: Visit, shop: Service, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"}, {"id": 2, "name": "Ficus"})
    visitor = visit().sign_in(owner)
    visitor.sees("2 plants", "#announcements")
    visitor.page.clock.install()
    visitor.page.clock.pause_at("2100-01-01")
    visitor["#find"].press_sequentially("fe")
    visitor.counts("1 of 2 plants")
    visitor.page.clock.fast_forward(1_000)
    visitor.sees("1 of 2 plants", "#announcements")
    expect(visitor["#announcements"]).not_to_contain_text("2 of 2 plants")
