"""Files of all kinds: what they are is understood, or it is said why not."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants, list_plants

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

NOTE_TITLES = """() => {
    const title = document.getElementById("import-choose-title");
    window.titles = [];
    new MutationObserver(() => window.titles.push(title.textContent))
        .observe(title, {childList: true});
}"""


def offers_nothing(driver: PageDriver) -> bool:
    """Whether there is nothing to import."""
    start = driver["#import-start"]
    return not (start.is_visible() and start.is_enabled())


def test_what_is_not_utf_8_is_told(open_page: OpenPage, owner: str) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file("old.csv", "id;name\r\n1;Bärlauch\r\n2;Fern\r\n".encode("cp1252"))
    driver.assert_shows("UTF-8", "#import-fault")
    assert offers_nothing(driver)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read(open_page: OpenPage, service: Service, owner: str, encoding: str) -> None:
    driver = open_page().sign_in(owner)
    text = "\ufeffid\tname\ttag\r\n1\tBärlauch\therb\r\n"
    driver.choose_file("table.txt", text.encode(encoding))
    driver.assert_shows("1 plant to import, 0 lines with a problem.", "#import-counts")
    driver["#import-start"].click()
    driver.assert_shows("1 plant imported.", "#import-result")
    assert list_plants(service, owner) == [{"id": 1, "name": "Bärlauch", "tag": "herb"}]


def test_a_quote_that_is_never_closed_is_told_by_its_line(open_page: OpenPage, owner: str) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file("open.csv", 'id,name\n1,Fern\n2,"Aloe\n' + "3,Basil\n" * 1_500_000)
    fault = re.compile(r"line 3\b", re.IGNORECASE)
    expect(driver["#import"].get_by_text(fault).filter(visible=True).first).to_be_visible()


@pytest.mark.parametrize(
    "text",
    [
        "\r\n\r\nid;name;tag\r\n1;Fern;\r\n",
        "id;name\n1;Fern\n;\n; \n;\n",
        "sep=;\r\nname;id\r\nFern;1\r\n",
        "sep=,\nname,id\nFern,1\n",
    ],
)
def test_lines_that_hold_no_plant_are_passed_over(
    open_page: OpenPage, owner: str, text: str
) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file("sheet.csv", text)
    driver.assert_shows("1 plant to import, 0 lines with a problem.", "#import-counts")


def test_what_is_read_is_told_meanwhile(open_page: OpenPage, owner: str) -> None:
    driver = open_page().sign_in(owner)
    driver["#import-open"].click()
    driver.evaluate(NOTE_TITLES)
    driver.set_file("none.csv", "id,name\n")
    driver.assert_shows("none.csv has no plants", "#import-fault")
    assert driver.evaluate("window.titles") == ["Reading the file…", "Import plants"]


def test_a_long_quoted_cell_is_read(open_page: OpenPage, owner: str) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file("long.csv", f'id,name\n1,"{"x" * 9_000_000}"\n2,Fern\n')
    driver.assert_shows("1 plant to import, 1 line with a problem.", "#import-counts")
    driver.assert_shows("Line 2", "#import-faults")


def test_a_file_that_vanished_is_told(open_page: OpenPage, owner: str, tmp_path: Path) -> None:
    path = tmp_path / "vanished.csv"
    path.write_text("id,name\n1,Fern\n", encoding="utf-8")
    driver = open_page().sign_in(owner)
    driver.evaluate(ADD_PROBE)
    driver["#probe"].set_input_files(path)
    path.unlink()
    driver.evaluate(DROP_PROBE)
    expect(driver["#import-fault"]).to_be_visible()
    expect(driver["#import-fault"]).not_to_be_empty()
    assert offers_nothing(driver)


def test_two_columns_of_one_name_are_told(open_page: OpenPage, owner: str) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file("twice.csv", "id,name,name\n1,Fern,Aloe\n")
    faults = driver["#import-fault, #import-faults"].filter(visible=True)
    expect(faults).to_contain_text("name")
    assert offers_nothing(driver)


@pytest.mark.parametrize("indent", [None, 2])
def test_the_answer_of_the_interface_is_imported(
    open_page: OpenPage, service: Service, store: str, owner: str, indent: int | None
) -> None:
    create_plants(
        service, owner, {"id": 1, "name": "Fern", "tag": "herb"}, {"id": GREAT, "name": "Aloe"}
    )
    plants = list_plants(service, owner)
    other = service.make_token(f"{store}-copy")
    driver = open_page().sign_in(other)
    driver.choose_file("plants.json", json.dumps(plants, indent=indent))
    driver.assert_shows("2 plants to import, 0 lines with a problem.", "#import-counts")
    driver["#import-start"].click()
    driver.assert_shows("2 plants imported.", "#import-result")
    assert list_plants(service, other) == plants


def test_a_tag_is_text_or_left_out(open_page: OpenPage, owner: str) -> None:
    lines = [{"id": n, "name": "Fern", "tag": tag} for n, tag in enumerate((0, False, None, "t"))]
    driver = open_page().sign_in(owner)
    driver.choose_file("tags.ndjson", "\n".join(map(json.dumps, lines)))
    driver.assert_shows("1 plant to import, 3 lines with a problem.", "#import-counts")


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_a_byte_order_mark_may_be_a_name(
    open_page: OpenPage, service: Service, store: str, owner: str, kind: str
) -> None:
    plants = [{"id": 1, "name": "\ufeff", "tag": "\ufeff"}, {"id": 2, "name": "\ufeffFern\ufeff"}]
    create_plants(service, owner, *plants)
    driver = open_page().sign_in(owner)
    driver.assert_count("2 plants")
    name, text = driver.export(kind)
    other = service.make_token(f"{store}-copy")
    copying = open_page().sign_in(other)
    copying.choose_file(name, text)
    copying.assert_shows("2 plants to import, 0 lines with a problem.", "#import-counts")
    copying["#import-start"].click()
    copying.assert_shows("2 plants imported.", "#import-result")
    assert list_plants(service, other) == plants
