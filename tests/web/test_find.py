"""Finding plants: as their names are spelt on other keyboards, and while they are still loaded."""

import json

from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver

DISTINCT = 150_000
SPELLINGS = (
    ("Weißdorn A", "weissdorn a"),
    ("Weissdorn B", "weißdorn b"),
    ("ΟΔΟΣΑ", "ΟΔΟΣ"),
    ("œillet", "oeillet"),
    ("Ørsted", "orsted"),
    ("Épicéa", "epicea"),
    ("WEIẞDORN C", "weißdorn c"),
    ("Narcissus ‘Thalia’", "'thalia'"),
    ("Rosa 'Peace'", "‘peace’"),
    ("Mentha × piperita", "mentha x p"),
    ("कि", "कि"),
    ("का", "का"),  # vowels of other scripts are no accents
    ("Strelitzia", "12"),  # its id
)


def test_a_name_is_found_as_it_is_typed(driver: PageDriver) -> None:
    names = [name for name, _ in SPELLINGS]
    driver.create_plants(*({"id": n, "name": name} for n, name in enumerate(names)))
    driver.sign_in()
    driver.assert_count(f"{len(names)} plants")
    for name, typed in SPELLINGS:
        driver["#find"].fill(typed)
        expect(driver["#rows .name"]).to_have_text([name])


def test_nothing_found_is_said_when_all_is_loaded(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3000)
    driver.open()
    held = driver.hold("**/plants?*after=*")
    driver.sign_in()
    driver.assert_count("1,000 plants so far")
    driver["#find"].fill("2500")
    driver.assert_shows("0 of", "#count")
    driver.settle()
    expect(driver["#state-nothing"]).to_be_hidden()
    driver["#find"].fill("no such plant")
    held.release()
    expect(driver["#state-nothing"]).to_be_visible()
    driver["#find"].fill("2500")
    driver.assert_count("1 of 3,000 plants")


def test_each_plant_may_have_a_tag_of_its_own(driver: PageDriver) -> None:
    plants = [{"id": n, "name": "Fern", "tag": f"bed {n}"} for n in range(DISTINCT)]
    driver.respond("**/plants?include*", 200, json.dumps(plants))
    driver.sign_in()
    expect(driver["#count"]).to_have_text("150,000 plants", timeout=60_000)
    expect(driver["#state-error"]).to_be_hidden()
    driver["#find"].fill("149999")
    driver.assert_count("1 of 150,000 plants")
