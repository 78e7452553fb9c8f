"""Webhooks on the Access page: add, test, pause, replace the secret, delete."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from plantstore.core.model import Scope
from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.features.webhooks.receiver import Receiver
from tests.service import Service


@pytest.fixture
def driver(tmp_path: Path, open_page: OpenPage) -> Iterator[PageDriver]:
    """The Access page, in German, of a service that may send webhooks to this machine."""
    with Service(tmp_path, settings={"webhook_allow_private": "true"}) as service:
        driver = open_page(service, shared=False, locale="de-DE")
        driver.owner = service.make_token("nursery", "olga", scopes=frozenset(Scope))
        driver.open_with_token(driver.owner, "/#store=nursery&page=access")
        expect(driver["#webhooks-part"]).to_be_visible()
        yield driver


def test_an_owner_adds_tests_pauses_and_deletes_a_webhook(driver: PageDriver) -> None:
    with Receiver() as receiver:
        driver["#webhooks-part > details > summary"].click()
        driver["#webhook-url"].click()
        driver.type(f"{receiver.url}\tbed 3 \t")
        driver["#webhook-form"].get_by_label("gelöscht").uncheck()
        driver.type("\n")
        driver.assert_shows("whsec_", "#credential")
        secret = driver["#credential"].inner_text()
        row = driver["#webhooks li"]
        expect(row).to_contain_text("hinzugefügt, geändert · bed 3 · läuft")
        with driver.service.client(driver.owner) as client:
            assert client.get("/webhooks").json()[0]["tag"] == "bed 3"

        row.get_by_role("button", name="Testen").click()
        driver.assert_shows("Test: 200 · angenommen", "#message")
        receiver.messages[0].verify(secret)
        row.get_by_role("button", name="Pausieren").click()
        expect(row).to_contain_text("pausiert")
        row.get_by_role("button", name="Fortsetzen").click()
        expect(row).to_contain_text("läuft")

        row.get_by_role("button", name="Neues Geheimnis").click()
        driver["#ask-yes"].click()
        expect(driver["#credential"]).not_to_have_text(secret)
        driver.assert_shows("whsec_", "#credential")
    driver.settle()  # the rows are made anew
    row.get_by_role("button", name="Löschen").press("Enter")
    driver.assert_shows(f"Webhook an {receiver.url} löschen?", "#ask")
    driver["#ask-yes"].click()
    expect(row).to_have_count(0)


def test_the_reason_of_a_refusal_is_in_sight_of_the_form(driver: PageDriver) -> None:
    driver.page.set_viewport_size({"width": 1280, "height": 480})
    driver["#webhooks-part > details > summary"].click()
    driver["#webhook-url"].fill("https://user:password@example.com/x")
    driver["#webhook-form button"].click()
    expect(driver["#access-reason"]).to_have_text(re.compile("^Das geht nicht: url "))
    expect(driver["#webhook-url"]).to_be_in_viewport()
    expect(driver["#access-reason"]).to_be_in_viewport(ratio=1)
