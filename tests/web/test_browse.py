"""Browsing: what is loaded when, found, counted, and shown as it is stored."""

from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver


def test_beyond_very_many_the_rest_comes_as_one_scrolls(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 201_500, size=6)
    driver.sign_in()
    expect(driver["#count"]).to_have_text("200,000 plants so far", timeout=60_000)
    expect(driver["#add-id"]).to_have_value("")
    driver["#grid"].focus()
    driver["#grid"].press("End")
    expect(driver["#count"]).to_have_text("201,000 plants so far")
    driver.assert_shows("200000", "#rows")
    driver["#grid"].press("End")
    driver.assert_count("201,500 plants")
    driver.create_plants({"id": 201_501, "name": "New"})
    driver.refocus()
    driver.assert_count("201,501 plants")
    driver["#find"].fill("201500")
    driver.assert_count("1 of 201,501 plants")
    expect(driver["#add-id"]).to_have_value("201502")


def test_bars_are_in_the_order_of_their_counts(driver: PageDriver) -> None:
    for number, tag in enumerate(("herb", "fern", "fern", "shrub", "fern", "shrub")):
        driver.create_plants({"id": number, "name": "X", "tag": tag})
    driver.create_plants({"id": 99, "name": "untagged"})
    driver.sign_in()
    expect(driver["#tag-bars button"]).to_have_text(["fern3", "shrub2", "herb1", "No tag1"])


def test_many_tags_are_shown_when_asked_for(driver: PageDriver) -> None:
    driver.create_plants(*({"id": n, "name": "X", "tag": f"tag-{n}"} for n in range(20)))
    driver.sign_in()
    expect(driver["#tag-bars button"]).to_have_count(12)
    driver["#tags-more"].click()
    expect(driver["#tag-bars button"]).to_have_count(20)
    driver["#tags-more"].click()
    expect(driver["#tag-bars button"]).to_have_count(12)


def test_ids_beyond_doubles_are_exact(driver: PageDriver) -> None:
    ids = [-(2**63), -(2**53) - 1, 2**53 + 1, 2**63 - 1]
    driver.create_plants(*({"id": one, "name": f'{{"id":{one}}},"id":5'} for one in ids))
    driver.sign_in()
    driver.assert_count("4 plants")
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
    for number, name in enumerate(names):
        driver.create_plants({"id": number, "name": name, "tag": tags[number % len(tags)]})
    driver.sign_in()
    driver.assert_count(f"{len(names)} plants")
    assert driver["#rows .name"].all_text_contents() == list(names)
    bars = set(driver["#tag-bars .label"].all_text_contents())
    assert bars == set(tags)
    assert driver.page.title() == "Plant Store"
    for selector in ("#rows img", "#rows script", "#rows b", "#tag-bars i"):
        assert driver[selector].count() == 0
    driver["#rows .remove"].first.click()
    driver.assert_shows(names[0], "#toasts")
