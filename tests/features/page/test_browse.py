"""Browsing: what is loaded when, found, counted, and shown as it is stored."""

from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store

TAGS = ("herb", "fern", "fern", "shrub", "fern", "shrub")


def load_less(route: Route) -> None:
    """Have the page load less before one scrolls: what follows then is the same, and sooner."""
    response = route.fetch()
    text = response.text()
    assert text.count("200_000") == 1
    route.fulfill(response=response, body=text.replace("200_000", "2_000"))


def test_beyond_very_many_the_rest_comes_as_one_scrolls(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3_500, size=6)
    driver.route("**/loading.js", load_less)
    driver.sign_in().assert_count("2,000 plants so far")
    expect(driver["#add-id"]).to_have_value("")
    driver["#grid"].focus()
    driver["#grid"].press("End")
    driver.assert_count("3,000 plants so far")
    driver.assert_shows("002000", "#rows")
    driver["#grid"].press("End")
    driver.assert_count("3,500 plants")
    driver.create_plants({"id": 3_501, "name": "New"})
    driver.assert_count("3,501 plants")
    driver["#find"].fill("003500")
    driver.assert_count("1 of 3,501 plants")
    expect(driver["#add-id"]).to_have_value("3502")


def test_nothing_found_is_said_when_all_is_loaded(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3000)
    held = driver.hold("**/plants?*after=*")
    driver.sign_in().assert_count("1,000 plants so far")
    driver["#find"].fill("2500")
    driver.assert_shows("0 of", "#count")
    driver.settle()
    expect(driver["#state-nothing"]).to_be_hidden()
    driver["#find"].fill("no such plant")
    held.release()
    expect(driver["#state-nothing"]).to_be_visible()
    driver["#find"].fill("2500")
    driver.assert_count("1 of 3,000 plants")


def test_tags_are_in_the_order_of_their_counts_and_all_when_asked_for(driver: PageDriver) -> None:
    few = [{"id": n, "name": "X", "tag": tag} for n, tag in enumerate(TAGS)]
    driver.create_plants(*few, {"id": 99, "name": "untagged"})
    driver.sign_in()
    bars = driver["#tag-bars button"]
    expect(bars).to_have_text(["fern3", "shrub2", "herb1", "No tag1"])
    driver.create_plants(*({"id": n, "name": "X", "tag": f"tag-{n}"} for n in range(10, 30)))
    expect(bars).to_have_count(12)
    driver["#tags-more"].click()
    expect(bars).to_have_count(24)
    driver["#tags-more"].click()
    expect(bars).to_have_count(12)


def test_ids_beyond_doubles_are_exact(driver: PageDriver) -> None:
    ids = [-(2**63), -(2**53) - 1, 2**53 + 1, 2**63 - 1]
    driver.create_plants(*({"id": one, "name": f'{{"id":{one}}},"id":5'} for one in ids))
    driver.sign_in().assert_count("4 plants")
    assert driver["#rows .id"].all_inner_texts() == [str(one) for one in ids]
    assert driver.names()[0] == f'{{"id":{-(2**63)}}},"id":5'
    expect(driver["#add-id"]).to_have_value("1")  # past the greatest there is none


def test_stored_text_is_shown_as_text(driver: PageDriver) -> None:
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
    rows = ((number, name, tags[number % len(tags)]) for number, name in enumerate(names))
    driver.create_plants(*({"id": number, "name": name, "tag": tag} for number, name, tag in rows))
    driver.sign_in().assert_count(f"{len(names)} plants")
    assert driver["#rows .name"].all_text_contents() == list(names)
    bars = set(driver["#tag-bars .label"].all_text_contents())
    assert bars == set(tags)
    assert driver.page.title() == "Plant Store"
    for selector in ("#rows img", "#rows script", "#rows b", "#tag-bars i"):
        assert driver[selector].count() == 0
    driver["#rows .remove"].first.click()
    driver.assert_shows(names[0], "#toasts")
