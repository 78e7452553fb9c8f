"""Looking at the plants of a store: all, very many, some, none."""

from playwright.sync_api import expect

from plantstore.model import Role
from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver
from tests.web.states.setup import browse, create_plants, state


@state
def plants(driver: PageDriver) -> None:
    browse(driver)
    driver["#grid"].focus()
    driver["#plants-title"].focus()


@state
def very_many(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 20_000, size=12)
    driver.sign_in().assert_count("20,000 plants")
    driver["#grid"].focus()
    driver["#grid"].press("End")


@state
def for_a_reader(driver: PageDriver) -> None:
    create_plants(driver)
    token = driver.service.make_token(driver.store, f"reader-of-{driver.store}", role=Role.READER)
    driver.sign_in(token).assert_count("48 plants")


@state
def several_stores(driver: PageDriver) -> None:
    create_plants(driver)
    user = f"owner-of-{driver.store}"
    driver.service.make_token(f"{driver.store}-second", user)
    token = driver.service.make_token(None, user, all_stores=True, expires_at=2 * 10**12)
    driver.sign_in(token).assert_count("48 plants")


@state
def filtered(driver: PageDriver) -> None:
    browse(driver)
    driver["#tag-filter"].select_option("=herb")
    driver["#find"].fill("i")
    driver.assert_count("8 of 48 plants")


@state
def nothing_found(driver: PageDriver) -> None:
    browse(driver)
    driver["#find"].fill("no such plant")
    expect(driver["#state-nothing"]).to_be_visible()


@state
def by_tag(driver: PageDriver) -> None:
    browse(driver)
    driver["#tag-filter"].select_option("=herb")
    driver.assert_count("8 of 48 plants")


@state
def all_tags(driver: PageDriver) -> None:
    tags = ((number, f"tag {number % 19}") for number in range(1, 40))
    driver.create_plants(*({"id": n, "name": "Fern", "tag": tag} for n, tag in tags))
    driver.sign_in()
    driver.assert_count("39 plants")
    driver.evaluate("document.getElementById('tags-more').click()")  # hidden on a phone
    expect(driver["#tag-bars button"]).to_have_count(19)


@state
def export(driver: PageDriver) -> None:
    browse(driver)["#export-summary"].click()


@state
def odd_texts(driver: PageDriver) -> None:
    rows = (
        (1, "x" * 256, "y" * 64),
        (2**63 - 1, "A name of many words that goes on and on " * 6, "a tag of many words"),
        (-(2**63), "<script>alert('no')</script>", "<b>"),
        (5, "שרך חלק (fern) 12", "עשב"),
        (6, "نخلة 🌴", "🌿"),
        (7, "蝴蝶兰", "兰花"),
    )
    driver.create_plants(*({"id": i, "name": n[:256], "tag": t} for i, n, t in rows))
    driver.sign_in().assert_count("6 plants")


@state
def history(driver: PageDriver) -> None:
    browse(driver)
    driver["#export-summary"].click()
    driver["#history-open"].click()
    expect(driver["#history-events li"]).to_have_count(48)


@state
def sorted_by_name(driver: PageDriver) -> None:
    browse(driver)
    driver["[data-order=name]"].click()
    driver["#select-all"].click()


@state
def details(driver: PageDriver) -> None:
    browse(driver)
    driver["#grid"].focus()
    driver["#grid"].press("i")
    expect(driver["#detail"]).to_be_visible()
