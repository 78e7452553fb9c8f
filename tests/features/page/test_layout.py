"""How much of the list is visible."""

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.features.page.browser import OpenPage

COUNT_VISIBLE_ROWS = """() => {
    const foot = document.getElementById("status").getBoundingClientRect().top;
    const rows = [...document.querySelectorAll("#rows .row")];
    const boxes = rows.map((row) => row.getBoundingClientRect());
    return boxes.filter(({ top, bottom }) => top >= 0 && bottom <= foot).length;
}"""


IS_ACTIVE_ROW_VISIBLE = """() => {
    const foot = document.getElementById("panel").getBoundingClientRect().top;
    return document.querySelector("#rows .active").getBoundingClientRect().bottom <= foot;
}"""


@pytest.mark.parametrize(
    ("size", "rows"),
    [({"width": 1440, "height": 900}, 24), ({"width": 390, "height": 844}, 9)],
    ids=["desktop", "phone"],
)
def test_a_long_name_neither_widens_the_page_nor_displaces_rows(
    open_page: OpenPage, store: str, owner: str, size: ViewportSize, rows: int
) -> None:
    driver = open_page(viewport=size)
    driver.store, driver.owner = store, owner
    long_name = "Rosa × centifolia grown from a cutting of the mother plant by the garden wall " * 3
    driver.create_many({"id": n, "name": long_name if n == 9 else f"Fern {n}"} for n in range(60))
    driver.sign_in().assert_count("60 plants")
    assert driver.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert driver.evaluate(COUNT_VISIBLE_ROWS) >= rows


def test_the_panel_of_a_plant_does_not_cover_the_active_row(
    open_page: OpenPage, store: str, owner: str
) -> None:
    driver = open_page(viewport={"width": 768, "height": 1024})
    driver.store, driver.owner = store, owner
    driver.create_many({"id": n, "name": f"Fern {n}"} for n in range(60))
    driver.sign_in().assert_count("60 plants")
    for _ in range(25):
        driver["#grid"].press("ArrowDown")
    driver["#grid"].press("Control+i")
    for name in ("Fern 25", "Fern 26", "Fern 27"):
        expect(driver["#panel-title"]).to_have_text(name)
        driver.settle()
        assert driver.evaluate(IS_ACTIVE_ROW_VISIBLE)
        driver["#grid"].press("ArrowDown")


def test_the_menu_opens_below_its_button_where_there_is_no_search(
    open_page: OpenPage, store: str, owner: str
) -> None:
    driver = open_page(viewport={"width": 1440, "height": 900})
    driver.open_with_token(owner, f"/#store={store}-other")
    expect(driver["#state-barred"]).to_be_visible()
    driver["#more-open"].click()
    button, menu = (driver[part].bounding_box() for part in ("#more-open", "#more-menu"))
    assert button
    assert menu
    assert menu["x"] <= button["x"]
    assert button["x"] + button["width"] <= menu["x"] + menu["width"]
