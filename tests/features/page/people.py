"""Members and tokens on the page, in somebody's hands."""

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver


def open_people(driver: PageDriver) -> None:
    """Open the dialog, as an owner who may manage the store."""
    driver["#export-summary"].click()
    driver["#people-open"].click()
    expect(driver["#people-all"]).to_be_visible()


def set_member(driver: PageDriver, user: str, role: str) -> None:
    """Give a user a role, which must work."""
    driver["#member-name"].fill(user)
    driver["#member-role"].select_option(role)
    driver["#member-form button"].click()
    driver.assert_shows(f"{user} {role}", "#members")


def create(driver: PageDriver, what: str) -> None:
    """Create a link or a token for the member that is chosen."""
    driver["#access-form"].get_by_role("button", name=what).click()
