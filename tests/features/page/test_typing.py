"""Typing as people do: with real keys, without waiting, however late the server responds."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

NAMES = ("Acer palmatum", "Acer rubrum", "Acer griseum", "Acer campestre")


@pytest.mark.parametrize("latency", [0, 100, 400])
def test_what_is_typed_quickly_is_stored_as_it_was_typed(driver: PageDriver, latency: int) -> None:
    driver.delay(latency)
    driver.sign_in().open_add()
    for name in NAMES:
        driver.type(f"{name}\n", delay=60)
    driver.wait_until(lambda: len(driver.list_plants()) == len(NAMES))
    stored = [(plant["id"], plant["name"]) for plant in driver.list_plants()]
    assert stored == list(enumerate(NAMES, start=1))
    assert driver["#add-name"].input_value() == ""


def test_a_tag_stays_for_the_next_plant(driver: PageDriver) -> None:
    driver.sign_in().open_add()
    driver.type("Acer palmatum\tbed 3\n")
    driver.type("Acer rubrum\n")
    driver.wait_until(lambda: len(driver.list_plants()) == 2)
    assert [plant["tag"] for plant in driver.list_plants()] == ["bed 3", "bed 3"]


def test_a_plant_is_dimmed_until_it_is_stored(driver: PageDriver) -> None:
    driver.sign_in().open_add()
    held = driver.hold("**/plants")
    driver.type("Acer palmatum\n")
    expect(driver["#rows .row.busy"]).to_contain_text("Acer palmatum")
    held.release()
    expect(driver["#rows .row"]).to_have_count(1)
    expect(driver["#rows .row.busy"]).to_have_count(0)
    driver.assert_shows("Added Acer palmatum (1)", "#message")


def test_a_refused_plant_stays_with_its_reason_and_can_be_mended(driver: PageDriver) -> None:
    driver.create_plants({"id": 7, "name": "Basil"})
    driver.sign_in().open_add()
    driver["#add-set-id"].click()
    driver.type("7")
    driver["#add-name"].focus()
    driver.type("Mint\n")
    refused = driver["#rows .row.refused"]
    expect(refused).to_contain_text("Mint")
    expect(refused).to_contain_text("the id 7 belongs to another plant")
    refused.get_by_role("button", name="Edit").click()
    expect(driver["#add-name"]).to_have_value("Mint")
    driver["#add-id"].press("ControlOrMeta+a")
    driver.type("8\n")
    driver.wait_until(lambda: len(driver.list_plants()) == 2)
