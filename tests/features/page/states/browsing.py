"""Looking at the plants of a store: all, some, none."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import browse, choose_dialog, flow


@flow
def browsing(driver: PageDriver) -> Iterator[str]:
    browse(driver)
    driver["#grid"].focus()
    driver["#plants-title"].focus()
    yield "plants"
    driver["#export-summary"].click()
    yield "export"
    driver["#export-summary"].click()
    driver["#grid"].press("i")
    expect(driver["#detail"]).to_be_visible()
    yield "details"
    driver.page.keyboard.press("Escape")
    choose_dialog(driver, "#history-open", "#history")
    expect(driver["#history-events li"]).to_have_count(48)
    yield "history"
    driver.page.keyboard.press("Escape")
    driver["[data-order=name]"].click()
    driver["#select-all"].click()
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
    driver.evaluate("document.getElementById('tags-more').click()")  # hidden on a phone
    expect(driver["#tag-bars button"]).to_have_count(19)
    yield "odd_texts"
