"""For eyes of other kinds, and long names: large letters, colours of one's own, a narrow window."""

import pytest

from tests.features.page.page_driver import PageDriver

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
NAME_CUT = """() => {
    const name = document.querySelector("#rows .name");
    return name.scrollWidth > name.clientWidth;
}"""


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    """A list of thirty plants."""
    names = ["Adiantum raddianum", *(f"Plant {number}" for number in range(1, 30))]
    driver.create_plants(*({"id": n, "name": name, "tag": "fern"} for n, name in enumerate(names)))
    driver.sign_in().assert_count("30 plants")
    return driver


def test_rows_grow_with_their_letters(opened: PageDriver) -> None:
    assert opened.evaluate(CLIPPED) == 0
    opened.evaluate("document.documentElement.style.fontSize = '200%'")
    for width in (1279, 639):
        opened.page.set_viewport_size({"width": width, "height": 800})
        opened.wait_until(lambda: opened.evaluate(CLIPPED) == 0)


def test_what_has_the_focus_is_seen_in_forced_colours(opened: PageDriver) -> None:
    opened.page.emulate_media(forced_colors="active")
    assert opened.evaluate(ARROW)
    opened["#grid"].focus()
    opened["#grid"].press("ArrowDown")
    assert opened.active_name() == "Plant 1"
    assert opened.evaluate(OUTLINE)
    opened.page.emulate_media(forced_colors="none")
    assert not opened.evaluate(OUTLINE)


def test_long_names_have_room_also_that_of_a_store_on_a_phone(driver: PageDriver) -> None:
    user = f"owner-of-{driver.store}"
    token = driver.service.make_token(driver.store, user, all_stores=True)
    driver.service.make_token(f"{driver.store}-{'long-' * 9}name", user)
    driver.create_plants({"id": 1001, "name": "Adiantum raddianum", "tag": "fern"})
    driver.page.set_viewport_size({"width": 960, "height": 800})
    driver.sign_in(token).assert_count("1 plant")
    assert not driver.evaluate(NAME_CUT)
    driver.page.set_viewport_size({"width": 390, "height": 800})
    assert driver.evaluate("document.getElementById('stores').getBoundingClientRect().left >= 0")
