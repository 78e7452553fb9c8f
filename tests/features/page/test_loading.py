"""What is loaded when: the rest as one scrolls, and all before nothing is said to be found."""

from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store


def test_beyond_very_many_the_rest_comes_as_one_scrolls(driver: PageDriver) -> None:
    def load_less(route: Route) -> None:
        response = route.fetch()
        text = response.text()
        assert text.count("200_000") == 1
        route.fulfill(response=response, body=text.replace("200_000", "2_000"))

    fill_store(driver.service, driver.store, 4_500, size=6)
    driver.route("**/loading.js", load_less)
    driver.sign_in().assert_count("2,000 plants so far")
    driver["#grid"].press("End")
    driver.assert_count("4,000 plants so far")
    driver.assert_shows("002000", "#rows")
    driver["#grid"].press("End")
    driver.assert_count("4,500 plants")


def test_nothing_found_is_said_when_all_is_loaded(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3000)
    held = driver.hold("**/plants?*after=*")
    driver.sign_in().assert_count("2,000 plants so far")
    driver["#find"].fill("2500")
    driver.assert_shows("0 of", "#count")
    driver.settle()
    expect(driver["#state-nothing"]).to_be_hidden()
    held.release()
    driver.assert_count("1 of 3,000 plants")
