"""The way back in: who started the service on one day works with it on the next."""

from pathlib import Path

from playwright.sync_api import expect

from tests.features.access.cli.welcoming import Welcoming
from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver


def follow(driver: PageDriver, link: tuple[str, str]) -> None:
    """Open the link that a start showed."""
    address, code = link
    driver.page.goto(f"{address}/#code={code}")
    expect(driver["#who"]).to_have_text("gardener")


def come_back(driver: PageDriver) -> None:
    """Close the tab, the only one, and open the service in a new one."""
    closed, driver.page = driver.page, driver.page.context.new_page()
    closed.close()
    driver.page.goto(driver.service.origin)


def test_the_owner_signs_in_on_each_day_and_stays_signed_in(
    tmp_path: Path, open_page: OpenPage
) -> None:
    service = Welcoming(tmp_path)
    with service:
        driver = open_page(service, shared=False)
        follow(driver, service.link())
        driver.add_plant("Monstera")
        come_back(driver)
        driver.assert_count("1 plant")
    with service:  # on another port: the browser has no session of this origin
        driver.page.goto(service.origin)
        driver.assert_shows("The terminal that runs it has a link.", "#sign-in-start")
        follow(driver, service.link())
        driver.assert_count("1 plant")
        driver.open_menu("#access-open")
        driver["#invite-name"].click()
        driver.type("grace\n")
        driver.assert_shows("Send this link to grace.", "#credential-text")
        link = driver["#credential"].inner_text()
        come_back(driver)
        driver.assert_count("1 plant")
        colleague = open_page(service, shared=False)
        colleague.page.goto(link)
        expect(colleague["#who"]).to_have_text("grace")
        colleague.assert_count("1 plant")
