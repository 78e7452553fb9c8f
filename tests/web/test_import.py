"""Importing files: what is in them is shown first, and every line has an outcome."""

import csv
import io
import json
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants, list_plants

GREAT = 2**53 + 1

GOOD = {
    "plain.csv": f"id,name,tag\n1,Fern,herb\n{GREAT},Aloe,\n",
    "bom.csv": f"\ufeffid,name,tag\r\n1,Fern,herb\r\n{GREAT},Aloe\r\n\r\n",
    "other order.csv": f"Tag;Name;ID\nherb;Fern;1\n;Aloe;{GREAT}",
    "tabs.tsv": f"id\tname\ttag\n1\tFern\therb\n{GREAT}\tAloe\t",
    "no header.csv": f"1,Fern,herb\n{GREAT},Aloe",
    "quoted.csv": f'"id","name","tag"\n"1","Fern","herb"\n"{GREAT}","Aloe",""\n',
    "lines.ndjson": '{"id":1,"name":"Fern","tag":"herb"}\n\n'
    f'{{"name": "Aloe", "id" : {GREAT} }}\n',
}
BAD_CSV = f"""id,name,tag
1,Fern,herb
x,No number,
2,,
3,{"n" * 257},
1,Twice,
{2**63},Too great,
4,Good,
5,"Quoted, with ""quotes""
and a second line",tag
6,Six,a,b
7,"With ""quotes"", and a comma",
"""


def import_all(driver: PageDriver, name: str, content: str) -> None:
    driver.choose_file(name, content)
    driver["#import-start"].click()
    driver.assert_shows("Import finished", "#import-summary-title")


@pytest.mark.parametrize("name", GOOD)
def test_a_file_is_imported(open_page: OpenPage, service: Service, owner: str, name: str) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file(name, GOOD[name])
    driver.assert_shows("2 plants to import, 0 lines with a problem.", "#import-counts")
    driver.assert_shows(str(GREAT), "#import-sample")
    driver["#import-start"].click()
    driver.assert_shows("2 plants imported.", "#import-result")
    driver["#import-done"].click()
    driver.assert_count("2 plants")
    assert list_plants(service, owner) == [
        {"id": 1, "name": "Fern", "tag": "herb"},
        {"id": GREAT, "name": "Aloe"},
    ]


def test_problems_are_told_by_line_and_the_rest_is_imported(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file("bad.csv", BAD_CSV)
    driver.assert_shows("3 plants to import, 7 lines with a problem.", "#import-counts")
    assert driver["#import-faults li"].all_text_contents() == [
        "Line 3 id must be a whole number, such as 7",
        "Line 4 name is missing",
        "Line 5 name must be 1 to 256 characters long, not 257",
        "Line 6 id 1 stands in line 2 already",
        f"Line 7 id must be from {-(2**63)} to {2**63 - 1}",
        "Line 9 name must not have control characters",
        "Line 11 the line has too many columns",
    ]
    driver["#import-start"].click()
    driver.assert_shows("3 plants imported, 7 lines not imported.", "#import-result")
    expect(driver["#import-retry"]).to_be_hidden()
    name, text = driver.download("#import-failed")
    assert name == "not-imported.csv"
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["line", "id", "name", "tag", "problem"]
    assert [row[0] for row in rows[1:]] == ["3", "4", "5", "6", "7", "9", "11"]
    assert rows[4][1:4] == ["1", "Twice", ""]
    assert rows[6][2] == 'Quoted, with "quotes"\nand a second line'
    assert list_plants(service, owner) == [
        {"id": 1, "name": "Fern", "tag": "herb"},
        {"id": 4, "name": "Good"},
        {"id": 7, "name": 'With "quotes", and a comma'},
    ]


def test_ndjson_is_read_line_by_line(open_page: OpenPage, service: Service, owner: str) -> None:
    lines: list[Any] = [
        {"id": 1, "name": "Fern", "more": {"id": 2}},
        [1],
        "text",
        {"id": 1.5, "name": "Half"},
        {"name": "None"},
        {"id": 2, "name": 7},
        {"id": 3, "name": "Null", "tag": None},
        {"id": 4, "name": '"id": 5, {"id":6}'},
    ]
    text = "\n".join([*map(json.dumps, lines), "{broken"])
    driver = open_page().sign_in(owner)
    driver.choose_file("plants.ndjson", text)
    driver.assert_shows("2 plants to import, 7 lines with a problem.", "#import-counts")
    driver["#import-start"].click()
    driver.assert_shows("2 plants imported, 7 lines not imported.", "#import-result")
    names = [one["name"] for one in list_plants(service, owner)]
    assert names == ["Fern", lines[-1]["name"]]


def test_what_the_service_refuses_is_told_with_its_line(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    create_plants(service, owner, {"id": 1, "name": "Fern"}, {"id": 2, "name": "Known"})
    driver = open_page().sign_in(owner)
    driver.choose_file("plants.csv", "id,name\n1,Other\n2,Known\n3,New\n")
    text = "3 plants to import, 2 of them in the store already, 0 lines with a problem."
    driver.assert_shows(text, "#import-counts")
    driver.assert_shows("Line 2 this id is in the store already", "#import-faults")
    driver["#import-start"].click()
    driver.assert_shows("1 plant imported, 1 in the store already, 1 line not", "#import-result")
    driver.assert_shows("Line 2 the id 1 belongs to another plant", "#import-failures")


def test_what_is_no_list_is_told(open_page: OpenPage, owner: str) -> None:
    driver = open_page().sign_in(owner)
    driver.choose_file("empty.csv", "")
    driver.assert_shows("empty.csv has no plants in it.", "#import-fault")
    driver.set_file("only.csv", "id,name,tag\n")
    driver.assert_shows("only.csv has no plants in it.", "#import-fault")
    driver.set_file("picture.png", bytes(range(256)) * 4)
    driver.assert_shows("picture.png is not in UTF-8", "#import-fault")
    driver.set_file("words.txt", "Buy ferns.\nWater them.\n")
    expect(driver["#import-start"]).to_be_disabled()
    driver["#import-other"].click()
    driver.set_file("plain.csv", GOOD["plain.csv"])
    expect(driver["#import-start"]).to_be_enabled()


def test_a_file_is_dropped_on_the_page(open_page: OpenPage, owner: str) -> None:
    driver = open_page().sign_in(owner)
    driver.evaluate("""() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["id,name\\n1,Dropped\\n"], "dropped.csv"));
        for (const type of ["dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(type, {dataTransfer, bubbles: true}));
    }""")
    driver.assert_shows("dropped.csv", "#import-name")
    driver.assert_shows("Dropped", "#import-sample")


def test_an_import_is_stopped_and_gone_on_with(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    rows = "".join(f"{number},Plant {number}\n" for number in range(1, 401))
    driver = open_page().sign_in(owner)
    driver.choose_file("many.csv", rows)
    held = driver.hold("**/plants")
    driver["#import-start"].click()
    expect(driver["#import-cancel"]).to_be_focused()
    driver.wait_until(lambda: held.routes)
    driver.settle()
    assert 1 <= len(held.routes) <= 20
    for _ in range(3):  # a browser lets a page refuse to close a dialog once
        driver.page.keyboard.press("Escape")
        driver.settle()
    expect(driver["#import-cancel"]).to_be_focused()
    driver["#import-cancel"].click()
    driver.assert_shows("Import stopped", "#import-summary-title")
    driver.assert_shows("400 lines not imported", "#import-result")
    driver.page.unroute("**/plants")
    driver["#import-retry"].click()
    driver.assert_shows("Import finished", "#import-summary-title")
    assert len(list_plants(service, owner)) == 400


def test_many_are_imported(open_page: OpenPage, service: Service, owner: str) -> None:
    rows = "".join(f"{number},Plant {number},tag {number % 7}\n" for number in range(1000))
    driver = open_page().sign_in(owner)
    driver.choose_file("many.csv", rows)
    driver["#import-start"].click()
    expect(driver["#import-result"]).to_have_text("1,000 plants imported.", timeout=120_000)
    driver["#import-done"].click()
    driver.assert_count("1,000 plants")
    assert len(list_plants(service, owner)) == 1000


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_what_is_exported_can_be_imported(
    open_page: OpenPage, service: Service, store: str, owner: str, kind: str
) -> None:
    plants = [
        {"id": -(2**63), "name": 'quotes " and, commas; tabs', "tag": '"'},
        {"id": 1, "name": " spaces around ", "tag": "=1+1"},
        {"id": GREAT, "name": "שרך 🌿"},
    ]
    create_plants(service, owner, *plants)
    driver = open_page().sign_in(owner)
    driver.assert_count("3 plants")
    name, text = driver.export(kind)
    assert name == f"{store}.{kind}"
    if kind == "ndjson":
        assert [json.loads(line) for line in text.splitlines()] == plants
    other = service.make_token(f"{store}-copy")
    copying = open_page().sign_in(other)
    import_all(copying, name, text)
    assert list_plants(service, other) == plants


def test_what_is_filtered_is_exported(open_page: OpenPage, service: Service, owner: str) -> None:
    for number, tag in enumerate(("a&b", "a&b", None, "c")):
        one = {"id": number, "name": f"Plant {number}"}
        create_plants(service, owner, one if tag is None else one | {"tag": tag})
    driver = open_page().sign_in(owner)
    driver.assert_count("4 plants")
    driver["#tag-filter"].select_option("=a&b")
    assert driver.export("csv")[1] == "id,name,tag\r\n0,Plant 0,a&b\r\n1,Plant 1,a&b\r\n"
    driver["#tag-filter"].select_option("=")
    assert driver.export("csv")[1] == "id,name,tag\r\n2,Plant 2,\r\n"
    driver["#tag-filter"].select_option("")
    driver["#find"].fill("plant 3")
    assert driver.export("ndjson")[1] == '{"id":3,"name":"Plant 3","tag":"c"}\n'
