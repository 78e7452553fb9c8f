"""Browsing: what is loaded when, found, counted, and shown as it is stored."""

from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import create_plants


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
