"""A list of 100,000 plants with thousands of tags: loading, scrolling and sorting."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.databases import execute
from tests.features.page.browser import Tabs, opening_pages
from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store
from tests.service import Service

PLANT_COUNT = 100_000
SET_UNIQUE_TAGS = """UPDATE plants SET tag = 'bed ' || id
    WHERE tag IS NULL AND id BETWEEN 1000 AND 20000
    AND store_id = (SELECT store_id FROM stores WHERE name = 'many')"""
COUNT_GAPS = """async () => {
    const grid = document.getElementById("grid");
    const middle = () => {
        const box = grid.getBoundingClientRect();
        return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    };
    let gaps = 0;
    for (let step = 0; step < 40; step += 1) {
        grid.scrollTop += 700 + 291 * step;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        if (!middle().closest("#rows .row")) gaps += 1;
    }
    return gaps;
}"""


@pytest.fixture(scope="module")
def driver(tabs: Tabs, service: Service) -> Iterator[PageDriver]:
    """The list of 100,000 plants; half have the tag ``even``, thousands have a unique tag."""
    token = service.make_token("many")
    fill_store(service, "many", PLANT_COUNT, size=6)
    execute(service.database, SET_UNIQUE_TAGS)
    with opening_pages(tabs, service) as open_page:
        driver = open_page().open()
        requests = driver.record_requests("GET")
        driver.sign_in(token)
        expect(driver["#count"]).to_have_text("100,000 plants", timeout=60_000)
        assert_pages_requested(requests)
        yield driver


def assert_pages_requested(requests: list[str]) -> None:
    """Each page was requested once, and each but the first by the link of the previous page."""
    pages = [url for url in requests if "limit=5000" in url]
    assert len(pages) == PLANT_COUNT // 5000
    assert all("include=id" in url for url in pages)
    assert all("after=" in url for url in pages[1:])


def test_the_keyboard_and_the_scroll_bar_reach_any_of_100000_plants(driver: PageDriver) -> None:
    assert driver["#rows .row"].count() < 60
    expect(driver["#grid"]).to_have_attribute("aria-rowcount", str(PLANT_COUNT + 2))
    driver["#grid"].focus()
    driver["#grid"].press("End")
    driver.assert_shows("100000", "#rows")
    driver["#grid"].press("Home")
    driver.assert_shows("000001", "#rows")
    for share in (0.25, 0.5, 0.75):
        driver.evaluate(f"(g => g.scrollTop = g.scrollHeight * {share})(document.all.grid)")
        driver.assert_shows(f"{int(PLANT_COUNT * share) + 2:06}", "#rows")


def test_fast_scrolling_never_shows_a_gap_between_rows(driver: PageDriver) -> None:
    driver["#grid"].press("Home")
    assert driver.evaluate(COUNT_GAPS) == 0


def test_a_sorted_list_keeps_its_order_after_a_reload(driver: PageDriver) -> None:
    driver["#grid [data-order=tag]"].click()
    expect(driver["#rows .row"].first).to_contain_text("bed 1001")
    driver.page.reload()
    expect(driver["#count"]).to_have_text("100,000 plants", timeout=60_000)
    expect(driver["#rows .row"].first).to_contain_text("bed 1001")
    driver["#grid [data-order=id]"].click()
