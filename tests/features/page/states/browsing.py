"""Browsing the plants of a store: menus, panel, history, search and unusual texts."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import browse, flow


@flow
def browsing(driver: PageDriver) -> Iterator[str]:
    browse(driver)
    driver["#grid"].focus()
    driver["#plants-title"].focus()
    yield "plants"
    for menu in ("filter", "sort", "more", "person"):
        driver[f"#{menu}-open"].click()
        expect(driver[f"#{menu}-menu"]).to_be_visible()
        yield f"menu_{menu}"
        driver.page.keyboard.press("Escape")
    driver["#grid"].press("?")
    yield "keys"
    driver.page.keyboard.press("Escape")
    driver["#grid"].press("Control+i")
    expect(driver["#panel-code svg"]).to_be_visible()
    yield "panel"
    driver.page.keyboard.press("Escape")
    driver.open_menu("#history-open")
    expect(driver["#history-events li"]).not_to_have_count(0)
    yield "history"
    driver["#history .back"].click()
    driver["#sort-open"].click()
    driver["#sort-menu [data-order=name]"].click()
    driver["#grid"].press("Control+a")
    yield "sorted_by_name"
    driver.filter("herb")
    driver["#find"].fill("i")
    driver.assert_count("8 of 48 plants")
    yield "filtered"
    driver["#find"].fill("no such plant")
    expect(driver["#state-nothing"]).to_be_visible()
    yield "nothing_found"


@flow
def odd_texts(driver: PageDriver) -> Iterator[str]:
    rows = (
        (1, "x" * 256, "y" * 64),
        (2**63 - 1, "A name of many words that goes on and on " * 6, "a tag of many words"),
        (-(2**63), "<script>alert('no')</script>", "<b>"),
        (5, "שרך חלק (fern) 12", "עשב"),
        (6, "نخلة 🌴", "🌿"),
        (7, "蝴蝶兰", "兰花"),
        *((number, "Fern", f"tag {number}") for number in range(10, 23)),
    )
    driver.create_plants(*({"id": i, "name": n[:256], "tag": t} for i, n, t in rows))
    driver.sign_in().assert_count("19 plants")
    yield "odd_texts"
    driver["#filter-open"].click()
    expect(driver["#filter-menu button"]).to_have_count(19)
    yield "odd_tags"
