"""For eyes of other kinds, and long names: large letters, colours of one's own, a narrow window."""

from tests.service import Service
from tests.web.visitor import Visit, Visitor, plant

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


def opened(visitor: Visitor, owner: str) -> Visitor:
    plant(
        visitor.service, owner, *({"id": n, "name": f"Plant {n}", "tag": "herb"} for n in range(30))
    )
    visitor.sign_in(owner)
    visitor.counts("30 plants")
    return visitor


def test_rows_grow_with_their_letters(visit: Visit, owner: str) -> None:
    visitor = opened(visit(), owner)
    assert visitor.stays(CLIPPED) == 0
    visitor.stays("document.documentElement.style.fontSize = '200%'")
    for width in (1279, 639):
        visitor.page.set_viewport_size({"width": width, "height": 800})
        visitor.until(lambda: visitor.stays(CLIPPED) == 0)


def test_the_active_row_is_seen_in_forced_colours(visit: Visit, owner: str) -> None:
    visitor = opened(visit(forced_colors="active"), owner)
    visitor["#grid"].focus()
    visitor["#grid"].press("ArrowDown")
    assert visitor.active_name() == "Plant 1"
    assert visitor.stays(OUTLINE)


def test_an_arrow_is_an_arrow_in_forced_colours(visit: Visit, owner: str) -> None:
    assert opened(visit(forced_colors="active"), owner).stays(ARROW)


def test_a_store_with_a_long_name_is_within_a_phone(
    visit: Visit, shop: Service, store: str
) -> None:
    user = f"owner-of-{store}"
    token = shop.make_token(store, user, all_stores=True)
    shop.make_token(f"{store}-{'long-' * 9}name", user)
    visitor = visit(viewport={"width": 390, "height": 800}).sign_in(token)
    visitor["#stores"].wait_for()
    assert visitor.stays("document.getElementById('stores').getBoundingClientRect().left >= 0")


def test_large_letters_on_a_phone_leave_all_buttons_in_sight(visit: Visit, owner: str) -> None:
    visitor = opened(visit(viewport={"width": 360, "height": 740}), owner)
    visitor.stays("document.documentElement.style.fontSize = '200%'")
    visitor.until(lambda: visitor.stays(INSIDE))


def test_a_name_has_more_room_than_its_tag(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1001, "name": "Adiantum raddianum", "tag": "fern"})
    visitor = visit(viewport={"width": 960, "height": 800}).sign_in(owner)
    visitor.counts("1 plant")
    assert not visitor.stays(NAME_CUT)
