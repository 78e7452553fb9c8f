"""A hundred thousand plants, with thousands of tags: loaded, scrolled, found, filtered, sorted."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.databases import execute
from tests.features.page.browser import Tabs, opening_pages
from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store
from tests.service import Service

MANY = 100_000
OWN_TAGS = """UPDATE plants SET tag = 'bed ' || id WHERE tag IS NULL AND id BETWEEN 1000 AND 20000
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
    """The page of a store of very many plants; half have the tag ``even``, many an own one."""
    token = service.make_token("many")
    fill_store(service, "many", MANY, size=6)
    execute(service.database, OWN_TAGS)
    with opening_pages(tabs, service) as open_page:
        driver = open_page().open()
        requests = driver.record_requests("GET")
        driver.sign_in(token)
        expect(driver["#count"]).to_have_text("100,000 plants", timeout=60_000)
        assert_pages_followed(requests)
        yield driver


def assert_pages_followed(requests: list[str]) -> None:
    """Each page but the first was asked for by the link of the one before."""
    pages = [url for url in requests if "limit=5000" in url]
    assert len(pages) == MANY // 5000
    assert all("include=id" in url for url in pages)
    assert all("after=" in url for url in pages[1:])


def test_very_many_plants_are_scrolled(driver: PageDriver) -> None:
    assert driver["#rows .row"].count() < 60
    expect(driver["#grid"]).to_have_attribute("aria-rowcount", str(MANY + 2))
    driver["#grid"].focus()
    driver["#grid"].press("End")
    driver.assert_shows("100000", "#rows")
    driver["#grid"].press("Home")
    driver.assert_shows("000001", "#rows")
    for share in (0.25, 0.5, 0.75):
        driver.evaluate(f"(g => g.scrollTop = g.scrollHeight * {share})(document.all.grid)")
        driver.assert_shows(f"{int(MANY * share) + 2:06}", "#rows")


def test_a_fast_scroll_never_shows_a_gap(driver: PageDriver) -> None:
    driver["#grid"].press("Home")
    assert driver.evaluate(COUNT_GAPS) == 0


def test_all_are_sorted_and_loaded_in_that_order(driver: PageDriver) -> None:
    driver["#grid [data-order=tag]"].click()
    expect(driver["#rows .row"].first).to_contain_text("bed 1001")
    driver.page.reload()
    expect(driver["#count"]).to_have_text("100,000 plants", timeout=60_000)
    expect(driver["#rows .row"].first).to_contain_text("bed 1001")
    driver["#grid [data-order=id]"].click()
