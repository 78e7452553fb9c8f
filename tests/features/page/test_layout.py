"""How much of the list is seen."""

from playwright.sync_api import ViewportSize

from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver

IN_SIGHT = """() => {
    const foot = document.getElementById("status").getBoundingClientRect().top;
    const rows = [...document.querySelectorAll("#rows .row")];
    const boxes = rows.map((row) => row.getBoundingClientRect());
    return boxes.filter(({ top, bottom }) => top >= 0 && bottom <= foot).length;
}"""


def count_rows(open_page: OpenPage, store: str, owner: str, size: ViewportSize) -> int:
    driver: PageDriver = open_page(viewport=size)
    driver.store, driver.owner = store, owner
    long_name = "Rosa × centifolia grown from a cutting of the mother plant by the garden wall " * 3
    driver.create_many({"id": n, "name": long_name if n == 9 else f"Fern {n}"} for n in range(60))
    driver.sign_in().assert_count("60 plants")
    assert driver.evaluate("document.documentElement.scrollWidth <= innerWidth")
    rows: int = driver.evaluate(f"({IN_SIGHT})()")
    return rows


def test_a_desktop_shows_24_rows(open_page: OpenPage, store: str, owner: str) -> None:
    assert count_rows(open_page, store, owner, {"width": 1440, "height": 900}) >= 24


def test_a_phone_shows_9_rows_whatever_the_longest_name(
    open_page: OpenPage, store: str, owner: str
) -> None:
    assert count_rows(open_page, store, owner, {"width": 390, "height": 844}) >= 9
