"""The list for eyes of other kinds: large letters, and colours of one's own."""

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
