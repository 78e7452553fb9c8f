"""Exported files: their content, and their import into another store."""

from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.features.page.page_driver import PageDriver

BEYOND_DOUBLE = 2**53 + 1


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """The empty list of the signed-in owner."""
    return driver.sign_in()


def test_an_export_matches_the_export_command_and_can_be_imported(
    driver: PageDriver, tmp_path: Path
) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": driver.service.database})
    plants = [
        {"id": -(2**63), "name": 'quotes " and, commas; tabs', "tag": '"'},
        {"id": 1, "name": " spaces around ", "tag": "=1+1"},
        {"id": 2, "name": "\ufeff", "tag": "\ufeff"},
        {"id": 3, "name": "\ufeffFern\ufeff"},
        {"id": BEYOND_DOUBLE, "name": "שרך 🌿"},
    ]
    driver.create_plants(*plants)
    driver.assert_count("5 plants")
    name, text = driver.export()
    assert name == f"{driver.store}.csv"
    copy = driver.service.make_token(f"{driver.store}-copy")
    driver.sign_in(copy).choose_file(name, text)
    driver["#import-start"].click()
    driver.assert_shows("Imported 5 plants", "#message")
    assert driver.list_plants(copy) == plants
    program.out("export", "by-command.csv", "--store", driver.store)
    assert (tmp_path / "by-command.csv").read_bytes() == text.encode()


def test_an_export_contains_only_plants_that_match_filter_or_search(driver: PageDriver) -> None:
    tags: tuple[dict[str, str], ...] = ({"tag": "a&b"}, {"tag": "a&b"}, {}, {"tag": "c"})
    plants = ({"id": n, "name": f"Plant {n}"} | tag for n, tag in enumerate(tags))
    driver.create_plants(*plants)
    driver.assert_count("4 plants")
    driver.filter("a&b")
    assert driver.export()[1] == "id,name,tag\r\n0,Plant 0,a&b\r\n1,Plant 1,a&b\r\n"
    driver["#clear-search"].click()
    driver["#find"].fill("plant 3")
    assert driver.export()[1] == "id,name,tag\r\n3,Plant 3,c\r\n"
