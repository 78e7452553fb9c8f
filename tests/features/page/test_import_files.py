"""Files to import and exported ones: round trips, and a file that cannot be read."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.cli.program import Program
from tests.features.page.page_driver import PageDriver

GREAT = 2**53 + 1
DROP_PROBE = """() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(document.getElementById("probe").files[0]);
    const event = new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true});
    document.body.dispatchEvent(event);
}"""
ADD_PROBE = """() => {
    const probe = document.createElement("input");
    Object.assign(probe, {type: "file", id: "probe"});
    document.body.append(probe);
}"""


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """The page of an empty store."""
    return driver.sign_in()


def test_a_file_that_vanished_is_told(driver: PageDriver, tmp_path: Path) -> None:
    path = tmp_path / "vanished.csv"
    path.write_text("id,name\n1,Fern\n", encoding="utf-8")
    driver.evaluate(ADD_PROBE)
    driver["#probe"].set_input_files(path)
    path.unlink()
    driver.evaluate(DROP_PROBE)
    expect(driver["#import-reason"]).to_be_visible()
    expect(driver["#import-reason"]).not_to_be_empty()
    expect(driver["#import-start"]).to_be_hidden()


def test_what_is_exported_can_be_imported(driver: PageDriver, tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": driver.service.database})
    plants = [
        {"id": -(2**63), "name": 'quotes " and, commas; tabs', "tag": '"'},
        {"id": 1, "name": " spaces around ", "tag": "=1+1"},
        {"id": 2, "name": "\ufeff", "tag": "\ufeff"},
        {"id": 3, "name": "\ufeffFern\ufeff"},
        {"id": GREAT, "name": "שרך 🌿"},
    ]
    driver.create_plants(*plants)
    driver.assert_count("5 plants")
    files = dict(driver.export(kind) for kind in ("csv", "ndjson"))
    assert list(files) == [f"{driver.store}.csv", f"{driver.store}.ndjson"]
    assert [json.loads(line) for line in files[f"{driver.store}.ndjson"].splitlines()] == plants
    for number, (name, text) in enumerate(files.items()):
        copy = driver.service.make_token(f"{driver.store}-copy-{number}")
        driver.sign_in(copy).choose_file(name, text)
        driver["#import-start"].click()
        driver.assert_shows("Imported 5 plants", "#message")
        assert driver.list_plants(copy) == plants
        program.out("export", f"by-command-{name}", "--store", driver.store)
        assert (tmp_path / f"by-command-{name}").read_bytes() == text.encode()


def test_what_is_filtered_is_exported(driver: PageDriver) -> None:
    tags: tuple[dict[str, str], ...] = ({"tag": "a&b"}, {"tag": "a&b"}, {}, {"tag": "c"})
    plants = ({"id": n, "name": f"Plant {n}"} | tag for n, tag in enumerate(tags))
    driver.create_plants(*plants)
    driver.assert_count("4 plants")
    driver.filter("a&b")
    assert driver.export("csv")[1] == "id,name,tag\r\n0,Plant 0,a&b\r\n1,Plant 1,a&b\r\n"
    driver.filter("a&b")
    driver.filter("No tag")
    assert driver.export("csv")[1] == "id,name,tag\r\n2,Plant 2,\r\n"
    driver["#clear-search"].click()
    driver["#find"].fill("plant 3")
    assert driver.export("ndjson")[1] == '{"id":3,"name":"Plant 3","tag":"c"}\n'
