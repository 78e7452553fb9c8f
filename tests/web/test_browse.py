"""Browsing: a hundred thousand plants, found, filtered and counted."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.databases import execute
from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, Visitor, plant

MANY = 100_000
TAGS = ("herb", "fern", "shrub")


@pytest.fixture(scope="module")
def big_store(shop: Service) -> Iterator[str]:
    """A token of the owner of a store of very many plants; half of them have the tag ``even``."""
    token = shop.make_token("big")
    fill_store(shop, "big", MANY, size=6)
    yield token
    execute(shop.database, "DELETE FROM plants WHERE name LIKE $1", [("0%",)])


def sees_all(visitor: Visitor) -> None:
    expect(visitor["#count"]).to_have_text("100,000 plants", timeout=60_000)


def test_very_many_plants_are_scrolled(visit: Visit, big_store: str) -> None:
    visitor = visit().sign_in(big_store)
    visitor.sees("000001", "#rows")
    sees_all(visitor)
    assert visitor["#rows .row"].count() < 60
    expect(visitor["#grid"]).to_have_attribute("aria-rowcount", str(MANY + 1))
    visitor["#grid"].focus()
    visitor["#grid"].press("End")
    visitor.sees("100000", "#rows")
    visitor["#grid"].press("Home")
    visitor.sees("000001", "#rows")
    for share in (0.25, 0.5, 0.75):
        visitor.stays(f"(g => g.scrollTop = g.scrollHeight * {share})(document.all.grid)")
        visitor.sees(f"{int(MANY * share) + 2:06}", "#rows")


def test_a_fast_scroll_never_shows_a_gap(visit: Visit, big_store: str) -> None:
    visitor = visit().sign_in(big_store)
    sees_all(visitor)
    gaps = visitor.stays("""async () => {
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


def test_pages_are_asked_for_by_their_links(visit: Visit, big_store: str) -> None:
    visitor = visit().open()
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    visitor.sign_in(big_store)
    sees_all(visitor)
    pages = [url for url in asked if "limit=1000" in url]
    assert len(pages) == MANY // 1000
    assert all("include=id" in url for url in pages)
    assert all("after=" in url for url in pages[1:])


def test_beyond_very_many_the_rest_comes_as_one_scrolls(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    fill_store(shop, store, 201_500, size=6)
    visitor = visit().sign_in(owner)
    expect(visitor["#count"]).to_have_text("200,000 plants so far", timeout=60_000)
    expect(visitor["#add-id"]).to_have_value("")
    visitor["#grid"].focus()
    visitor["#grid"].press("End")
    expect(visitor["#count"]).to_have_text("201,000 plants so far")
    visitor.sees("200000", "#rows")
    visitor["#grid"].press("End")
    visitor.counts("201,500 plants")
    plant(shop, owner, {"id": 201_501, "name": "New"})
    visitor.comes_back()
    visitor.counts("201,501 plants")
    visitor["#find"].fill("201500")
    visitor.counts("1 of 201,501 plants")
    expect(visitor["#add-id"]).to_have_value("201502")


def test_what_one_adds_and_deletes_while_it_loads_is_shown(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    fill_store(shop, store, 3000, size=6)
    visitor = visit().open()
    held = visitor.hold("**/plants?*after=*")
    visitor.sign_in(owner)
    visitor.counts("1,000 plants so far")
    visitor.adds("New", plant_id="5000")
    visitor["#rows .remove"].first.click()
    visitor.counts("999 plants so far")
    held.let_go()
    visitor.counts("3,000 plants")
    visitor["#find"].fill("new")
    visitor.counts("1 of 3,000 plants")


def test_plants_are_found_as_one_types(visit: Visit, big_store: str) -> None:
    visitor = visit().sign_in(big_store)
    sees_all(visitor)
    visitor["#find"].press_sequentially("0999")
    visitor.counts("120 of 100,000 plants")  # 0999xx, 00999x, 0x0999
    visitor["#find"].press_sequentially("99")
    visitor.counts("1 of 100,000 plants")
    assert visitor.names() == ["099999"]
    visitor["#find"].fill("no such plant")
    expect(visitor["#state-nothing"]).to_be_visible()
    visitor["#nothing-clear"].click()
    visitor.counts("100,000 plants")
    expect(visitor["#find"]).to_be_focused()


def test_a_tag_filters_and_its_bar_has_its_count(visit: Visit, big_store: str) -> None:
    visitor = visit().sign_in(big_store)
    sees_all(visitor)
    even = visitor["#tag-bars button"].filter(has_text="even")
    expect(even).to_contain_text("50,000")
    even.click()
    visitor.counts("50,000 of 100,000 plants")
    expect(even).to_have_attribute("aria-pressed", "true")
    expect(visitor["#tag-filter"]).to_have_value("=even")
    assert visitor.names()[0] == "000002"
    visitor["#tag-filter"].select_option(label="No tag (50,000)")
    assert visitor.names()[0] == "000001"
    visitor["#clear-filter"].click()
    visitor.counts("100,000 plants")


def test_names_are_found_without_case_and_accents(visit: Visit, shop: Service, owner: str) -> None:
    names = ("Épicéa", "épi", "Strelitzia", "ΣΊΣΥΦΟΣ")
    plant(shop, owner, *({"id": number, "name": name} for number, name in enumerate(names)))
    visitor = visit().sign_in(owner)
    visitor.counts("4 plants")
    visitor["#find"].fill("EPI")
    assert visitor.names() == ["Épicéa", "épi"]
    visitor["#find"].fill("2")
    assert visitor.names() == ["Strelitzia"]
    visitor["#find"].fill("σίσυφος")
    visitor.counts("1 of 4 plants")


def test_bars_are_in_the_order_of_their_counts(visit: Visit, shop: Service, owner: str) -> None:
    for number, tag in enumerate(("herb", "fern", "fern", "shrub", "fern", "shrub")):
        plant(shop, owner, {"id": number, "name": "X", "tag": tag})
    plant(shop, owner, {"id": 99, "name": "untagged"})
    visitor = visit().sign_in(owner)
    expect(visitor["#tag-bars button"]).to_have_text(["fern3", "shrub2", "herb1", "No tag1"])


def test_many_tags_are_shown_when_asked_for(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, *({"id": n, "name": "X", "tag": f"tag-{n}"} for n in range(20)))
    visitor = visit().sign_in(owner)
    expect(visitor["#tag-bars button"]).to_have_count(12)
    visitor["#tags-more"].click()
    expect(visitor["#tag-bars button"]).to_have_count(20)
    visitor["#tags-more"].click()
    expect(visitor["#tag-bars button"]).to_have_count(12)


def test_ids_beyond_doubles_are_exact(visit: Visit, shop: Service, owner: str) -> None:
    ids = [-(2**63), -(2**53) - 1, 2**53 + 1, 2**63 - 1]
    plant(shop, owner, *({"id": one, "name": f'{{"id":{one}}},"id":5'} for one in ids))
    visitor = visit().sign_in(owner)
    visitor.counts("4 plants")
    assert visitor["#rows .id"].all_inner_texts() == [str(one) for one in ids]
    assert visitor.names()[0] == f'{{"id":{-(2**63)}}},"id":5'
    expect(visitor["#add-id"]).to_have_value("1")  # past the greatest there is none


def test_what_others_change_is_shown_when_one_comes_back(
    visit: Visit, shop: Service, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.counts("1 plant")
    plant(shop, owner, {"id": 2, "name": "Aloe"})
    visitor.stays("dispatchEvent(new Event('focus'))")
    visitor.counts("2 plants")
    visitor.sees("Aloe", "#rows")


def test_stored_text_is_shown_as_text(visit: Visit, shop: Service, owner: str) -> None:
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
        plant(shop, owner, {"id": number, "name": name, "tag": tags[number % len(tags)]})
    visitor = visit().sign_in(owner)
    visitor.counts(f"{len(names)} plants")
    assert visitor["#rows .name"].all_text_contents() == list(names)
    bars = set(visitor["#tag-bars .label"].all_text_contents())
    assert bars == set(tags)
    assert visitor.page.title() == "Plant Store"
    for selector in ("#rows img", "#rows script", "#rows b", "#tag-bars i"):
        assert visitor[selector].count() == 0
    visitor["#rows .remove"].first.click()
    visitor.sees(names[0], "#toasts")
