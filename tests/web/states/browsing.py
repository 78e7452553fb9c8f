"""Looking at the plants of a store: all, very many, some, none."""

from playwright.sync_api import expect

from plantstore.model import Role
from tests.http.blocking import fill_store
from tests.web.page_driver import create_plants
from tests.web.states.setup import StateSetup, state, unfold


@state
def plants(setup: StateSetup) -> None:
    driver = setup.browse()
    driver["#grid"].focus()
    driver["#plants-title"].focus()


@state
def very_many(setup: StateSetup) -> None:
    fill_store(setup.service, setup.store, 20_000, size=12)
    setup.driver.sign_in(setup.token).assert_count("20,000 plants")
    setup.driver["#grid"].focus()
    setup.driver["#grid"].press("End")


@state
def for_a_reader(setup: StateSetup) -> None:
    setup.create_plants()
    token = setup.service.make_token(setup.store, f"reader-of-{setup.store}", role=Role.READER)
    setup.driver.sign_in(token).assert_count("48 plants")


@state
def several_stores(setup: StateSetup) -> None:
    setup.create_plants()
    user = f"owner-of-{setup.store}"
    setup.service.make_token(f"{setup.store}-second", user)
    token = setup.service.make_token(None, user, all_stores=True, expires_at=2 * 10**12)
    setup.driver.sign_in(token).assert_count("48 plants")


@state
def filtered(setup: StateSetup) -> None:
    driver = setup.browse()
    driver["#tag-filter"].select_option("=herb")
    driver["#find"].fill("i")
    driver.assert_count("8 of 48 plants")


@state
def nothing_found(setup: StateSetup) -> None:
    driver = setup.browse()
    driver["#find"].fill("no such plant")
    expect(driver["#state-nothing"]).to_be_visible()


@state
def by_tag(setup: StateSetup) -> None:
    driver = setup.browse()
    unfold(driver, "#tag-bars")
    driver["#tag-bars button"].filter(has_text="herb").click()
    driver.assert_count("8 of 48 plants")


@state
def all_tags(setup: StateSetup) -> None:
    tags = ((number, f"tag {number % 19}") for number in range(1, 40))
    create_plants(
        setup.service, setup.token, *({"id": n, "name": "Fern", "tag": tag} for n, tag in tags)
    )
    driver = setup.driver.sign_in(setup.token)
    driver.assert_count("39 plants")
    unfold(driver, "#tag-bars")
    driver["#tags-more"].click()
    expect(driver["#tag-bars button"]).to_have_count(19)


@state
def export(setup: StateSetup) -> None:
    setup.browse()["#export-summary"].click()


@state
def odd_texts(setup: StateSetup) -> None:
    rows = (
        (1, "x" * 256, "y" * 64),
        (2**63 - 1, "A name of many words that goes on and on " * 6, "a tag of many words"),
        (-(2**63), "<script>alert('no')</script>", "<b>"),
        (5, "שרך חלק (fern) 12", "עשב"),
        (6, "نخلة 🌴", "🌿"),
        (7, "蝴蝶兰", "兰花"),
    )
    create_plants(
        setup.service, setup.token, *({"id": i, "name": n[:256], "tag": t} for i, n, t in rows)
    )
    setup.driver.sign_in(setup.token).assert_count("6 plants")
