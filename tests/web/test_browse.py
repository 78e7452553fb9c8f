"""Browsing: a hundred thousand plants, found, filtered and counted."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.databases import execute
from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants

MANY = 100_000
TAGS = ("herb", "fern", "shrub")


@pytest.fixture(scope="module")
def big_store(service: Service) -> Iterator[str]:
    """A token of the owner of a store of very many plants; half of them have the tag ``even``."""
    token = service.make_token("big")
    fill_store(service, "big", MANY, size=6)
    yield token
    execute(service.database, "DELETE FROM plants WHERE name LIKE $1", [("0%",)])


def assert_all_shown(driver: PageDriver) -> None:
    expect(driver["#count"]).to_have_text("100,000 plants", timeout=60_000)


def test_very_many_plants_are_scrolled(open_page: OpenPage, big_store: str) -> None:
    driver = open_page().sign_in(big_store)
    driver.assert_shows("000001", "#rows")
    assert_all_shown(driver)
    assert driver["#rows .row"].count() < 60
    expect(driver["#grid"]).to_have_attribute("aria-rowcount", str(MANY + 1))
    driver["#grid"].focus()
    driver["#grid"].press("End")
    driver.assert_shows("100000", "#rows")
    driver["#grid"].press("Home")
    driver.assert_shows("000001", "#rows")
    for share in (0.25, 0.5, 0.75):
        driver.evaluate(f"(g => g.scrollTop = g.scrollHeight * {share})(document.all.grid)")
        driver.assert_shows(f"{int(MANY * share) + 2:06}", "#rows")


def test_a_fast_scroll_never_shows_a_gap(open_page: OpenPage, big_store: str) -> None:
    driver = open_page().sign_in(big_store)
    assert_all_shown(driver)
    gaps = driver.evaluate("""async () => {
        const grid = document.getElementById("grid");
        const middle = () => {
            const box = grid.getBoundingClientRect();
            return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        };
        let gaps = 0;
        for (let step = 0; step < 120; step += 1) {
            grid.scrollTop += 700 + 97 * step;
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            if (!middle().closest("#rows .row")) gaps += 1;
        }
        return gaps;
    }""")
    assert gaps == 0


def test_pages_are_asked_for_by_their_links(open_page: OpenPage, big_store: str) -> None:
    driver = open_page().open()
    asked: list[str] = []
    driver.page.on("request", lambda request: asked.append(request.url))
    driver.sign_in(big_store)
    assert_all_shown(driver)
    pages = [url for url in asked if "limit=1000" in url]
    assert len(pages) == MANY // 1000
    assert all("fields=id,name,tag" in url for url in pages)
    assert all("after=" in url for url in pages[1:])


def test_beyond_very_many_the_rest_comes_as_one_scrolls(
    open_page: OpenPage, service: Service, store: str, owner: str
) -> None:
    fill_store(service, store, 201_500, size=6)
    driver = open_page().sign_in(owner)
    expect(driver["#count"]).to_have_text("200,000 plants so far", timeout=60_000)
    expect(driver["#add-id"]).to_have_value("")
    driver["#grid"].focus()
    driver["#grid"].press("End")
    expect(driver["#count"]).to_have_text("201,000 plants so far")
    driver.assert_shows("200000", "#rows")
    driver["#grid"].press("End")
    driver.assert_count("201,500 plants")
    create_plants(service, owner, {"id": 201_501, "name": "New"})
    driver.refocus()
    driver.assert_count("201,501 plants")
    driver["#find"].fill("201500")
    driver.assert_count("1 of 201,501 plants")
    expect(driver["#add-id"]).to_have_value("201502")


def test_what_one_adds_and_deletes_while_it_loads_is_shown(
    open_page: OpenPage, service: Service, store: str, owner: str
) -> None:
    fill_store(service, store, 3000, size=6)
    driver = open_page().open()
    held = driver.hold("**/plants?*after=*")
    driver.sign_in(owner)
    driver.assert_count("1,000 plants so far")
    driver.add_plant("New", plant_id="5000")
    driver["#rows .remove"].first.click()
    driver.assert_count("999 plants so far")
    held.release()
    driver.assert_count("3,000 plants")
    driver["#find"].fill("new")
    driver.assert_count("1 of 3,000 plants")


def test_plants_are_found_as_one_types(open_page: OpenPage, big_store: str) -> None:
    driver = open_page().sign_in(big_store)
    assert_all_shown(driver)
    driver["#find"].press_sequentially("0999")
    driver.assert_count("120 of 100,000 plants")  # 0999xx, 00999x, 0x0999
    driver["#find"].press_sequentially("99")
    driver.assert_count("1 of 100,000 plants")
    assert driver.names() == ["099999"]
    driver["#find"].fill("no such plant")
    expect(driver["#state-nothing"]).to_be_visible()
    driver["#nothing-clear"].click()
    driver.assert_count("100,000 plants")
    expect(driver["#find"]).to_be_focused()


def test_a_tag_filters_and_its_bar_has_its_count(open_page: OpenPage, big_store: str) -> None:
    driver = open_page().sign_in(big_store)
    assert_all_shown(driver)
    even = driver["#tag-bars button"].filter(has_text="even")
    expect(even).to_contain_text("50,000")
    even.click()
    driver.assert_count("50,000 of 100,000 plants")
    expect(even).to_have_attribute("aria-pressed", "true")
    expect(driver["#tag-filter"]).to_have_value("=even")
    assert driver.names()[0] == "000002"
    driver["#tag-filter"].select_option(label="No tag (50,000)")
    assert driver.names()[0] == "000001"
    driver["#clear-filter"].click()
    driver.assert_count("100,000 plants")


def test_names_are_found_without_case_and_accents(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    names = ("Épicéa", "épi", "Strelitzia", "ΣΊΣΥΦΟΣ")
    create_plants(
        service, owner, *({"id": number, "name": name} for number, name in enumerate(names))
    )
    driver = open_page().sign_in(owner)
    driver.assert_count("4 plants")
    driver["#find"].fill("EPI")
    assert driver.names() == ["Épicéa", "épi"]
    driver["#find"].fill("2")
    assert driver.names() == ["Strelitzia"]
    driver["#find"].fill("σίσυφος")
    driver.assert_count("1 of 4 plants")


def test_bars_are_in_the_order_of_their_counts(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    for number, tag in enumerate(("herb", "fern", "fern", "shrub", "fern", "shrub")):
        create_plants(service, owner, {"id": number, "name": "X", "tag": tag})
    create_plants(service, owner, {"id": 99, "name": "untagged"})
    driver = open_page().sign_in(owner)
    expect(driver["#tag-bars button"]).to_have_text(["fern3", "shrub2", "herb1", "No tag1"])


def test_many_tags_are_shown_when_asked_for(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    create_plants(service, owner, *({"id": n, "name": "X", "tag": f"tag-{n}"} for n in range(20)))
    driver = open_page().sign_in(owner)
    expect(driver["#tag-bars button"]).to_have_count(12)
    driver["#tags-more"].click()
    expect(driver["#tag-bars button"]).to_have_count(20)
    driver["#tags-more"].click()
    expect(driver["#tag-bars button"]).to_have_count(12)


def test_ids_beyond_doubles_are_exact(open_page: OpenPage, service: Service, owner: str) -> None:
    ids = [-(2**63), -(2**53) - 1, 2**53 + 1, 2**63 - 1]
    create_plants(service, owner, *({"id": one, "name": f'{{"id":{one}}},"id":5'} for one in ids))
    driver = open_page().sign_in(owner)
    driver.assert_count("4 plants")
    assert driver["#rows .id"].all_inner_texts() == [str(one) for one in ids]
    assert driver.names()[0] == f'{{"id":{-(2**63)}}},"id":5'
    expect(driver["#add-id"]).to_have_value("1")  # past the greatest there is none


def test_what_others_change_is_shown_when_one_comes_back(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    create_plants(service, owner, {"id": 1, "name": "Fern"})
    driver = open_page().sign_in(owner)
    driver.assert_count("1 plant")
    create_plants(service, owner, {"id": 2, "name": "Aloe"})
    driver.evaluate("dispatchEvent(new Event('focus'))")
    driver.assert_count("2 plants")
    driver.assert_shows("Aloe", "#rows")


def test_stored_text_is_shown_as_text(open_page: OpenPage, service: Service, owner: str) -> None:
    names = (
        "<script>document.title = 'broken'</script>",
        "<img src=x onerror=alert(1)>",
        "\"quotes' & ampersands &amp; `ticks`",
        "שרך חלק (fern) 12",
        "نخلة <b>bold</b>",
        "🌵 👨‍🌾 cactus",
        "{{ 7 * 7 }} ${7*7}",
        "x" * 256,
    )
    tags = ("<i>tag</i>", "\"'>", "עשב", "🌿", "a" * 64)
    for number, name in enumerate(names):
        create_plants(service, owner, {"id": number, "name": name, "tag": tags[number % len(tags)]})
    driver = open_page().sign_in(owner)
    driver.assert_count(f"{len(names)} plants")
    assert driver["#rows .name"].all_text_contents() == list(names)
    bars = set(driver["#tag-bars .label"].all_text_contents())
    assert bars == set(tags)
    assert driver.page.title() == "Plant Store"
    for selector in ("#rows img", "#rows script", "#rows b", "#tag-bars i"):
        assert driver[selector].count() == 0
    driver["#rows .remove"].first.click()
    driver.assert_shows(names[0], "#toasts")
