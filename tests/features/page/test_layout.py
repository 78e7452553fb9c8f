"""How much of the list is seen."""

import pytest
from playwright.sync_api import ViewportSize

from tests.features.page.browser import OpenPage

IN_SIGHT = """() => {
    const foot = document.getElementById("status").getBoundingClientRect().top;
    const rows = [...document.querySelectorAll("#rows .row")];
    const boxes = rows.map((row) => row.getBoundingClientRect());
    return boxes.filter(({ top, bottom }) => top >= 0 && bottom <= foot).length;
}"""


@pytest.mark.parametrize(
    ("size", "rows"),
    [({"width": 1440, "height": 900}, 24), ({"width": 390, "height": 844}, 9)],
)
def test_so_many_rows_are_seen_whatever_the_longest_name(
    open_page: OpenPage, store: str, owner: str, size: ViewportSize, rows: int
) -> None:
    driver = open_page(viewport=size)
    driver.store, driver.owner = store, owner
    long_name = "Rosa × centifolia grown from a cutting of the mother plant by the garden wall " * 3
    driver.create_many({"id": n, "name": long_name if n == 9 else f"Fern {n}"} for n in range(60))
    driver.sign_in().assert_count("60 plants")
    assert driver.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert driver.evaluate(IN_SIGHT) >= rows
