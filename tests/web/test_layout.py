"""For eyes of other kinds, and long names: large letters, colours of one's own, a narrow window."""

from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver

CLIPPED = """() => {
    const rows = [...document.querySelectorAll("#rows .row")]
        .map((row) => [row.getBoundingClientRect(), row])
        .sort(([one], [other]) => one.top - other.top);
    const isTall = ([box, row]) => [...row.querySelectorAll(".id, .name bdi, .tag .pill")]
        .every((part) => part.getBoundingClientRect().height <= box.height + 0.5);
    const isApart = ([box], index) =>
        index + 1 === rows.length || box.bottom <= rows[index + 1][0].top + 0.5;
    return rows.filter((row, index) => !isTall(row) || !isApart(row, index)).length;
}"""
OUTLINE = """() => {
    const id = document.getElementById("grid").getAttribute("aria-activedescendant");
    const { outlineStyle, outlineWidth } = getComputedStyle(document.getElementById(id));
    return outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
}"""

ARROW = """() => {
    const style = getComputedStyle(document.getElementById("export-summary"), "::after");
    return style.borderTopColor !== style.borderLeftColor;
}"""

INSIDE = """() => {
    const card = document.getElementById("plants").getBoundingClientRect();
    const box = document.getElementById("export-summary").getBoundingClientRect();
    return box.left >= card.left && box.right <= card.right;
}"""
NAME_CUT = """() => {
    const name = document.querySelector("#rows .name");
    return name.scrollWidth > name.clientWidth;
}"""


def opened(driver: PageDriver, token: str) -> PageDriver:
    plants = ({"id": n, "name": f"Plant {n}", "tag": "herb"} for n in range(30))
    driver.create_plants(*plants, token=token)
    driver.sign_in(token)
    driver.assert_count("30 plants")
    return driver


def test_rows_grow_with_their_letters(driver: PageDriver, owner: str) -> None:
    opened(driver, owner)
    assert driver.evaluate(CLIPPED) == 0
    driver.evaluate("document.documentElement.style.fontSize = '200%'")
    for width in (1279, 639):
        driver.page.set_viewport_size({"width": width, "height": 800})
        driver.wait_until(lambda: driver.evaluate(CLIPPED) == 0)


def test_what_has_the_focus_is_seen_in_forced_colours(open_page: OpenPage, owner: str) -> None:
    driver = opened(open_page(forced_colors="active"), owner)
    assert driver.evaluate(ARROW)
    driver["#grid"].focus()
    driver["#grid"].press("ArrowDown")
    assert driver.active_name() == "Plant 1"
    assert driver.evaluate(OUTLINE)


def test_a_store_with_a_long_name_is_within_a_phone(
    open_page: OpenPage, service: Service, store: str
) -> None:
    user = f"owner-of-{store}"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(f"{store}-{'long-' * 9}name", user)
    driver = open_page(viewport={"width": 390, "height": 800}).sign_in(token)
    driver["#stores"].wait_for()
    assert driver.evaluate("document.getElementById('stores').getBoundingClientRect().left >= 0")


def test_large_letters_on_a_phone_leave_all_buttons_in_sight(
    open_page: OpenPage, owner: str
) -> None:
    driver = opened(open_page(viewport={"width": 360, "height": 740}), owner)
    driver.evaluate("document.documentElement.style.fontSize = '200%'")
    driver.wait_until(lambda: driver.evaluate(INSIDE))


def test_a_name_has_more_room_than_its_tag(driver: PageDriver) -> None:
    driver.create_plants({"id": 1001, "name": "Adiantum raddianum", "tag": "fern"})
    driver.page.set_viewport_size({"width": 960, "height": 800})
    driver.sign_in()
    driver.assert_count("1 plant")
    assert not driver.evaluate(NAME_CUT)
