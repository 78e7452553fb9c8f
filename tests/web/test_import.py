"""Importing files: what is in them is shown first, and every line has an outcome."""

import csv
import io
import json
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant

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


def import_all(visitor: Visitor, name: str, content: str) -> None:
    visitor.choose_file(name, content)
    visitor["#import-start"].click()
    visitor.sees("Import finished", "#import-summary-title")


@pytest.mark.parametrize("name", GOOD)
def test_a_file_is_imported(visit: Visit, shop: Service, owner: str, name: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file(name, GOOD[name])
    visitor.sees("2 plants to import, 0 lines with a problem.", "#import-counts")
    visitor.sees(str(GREAT), "#import-sample")
    visitor["#import-start"].click()
    visitor.sees("2 plants imported.", "#import-result")
    visitor["#import-done"].click()
    visitor.counts("2 plants")
    assert list_all(shop, owner) == [
        {"id": 1, "name": "Fern", "tag": "herb"},
        {"id": GREAT, "name": "Aloe"},
    ]


def test_problems_are_told_by_line_and_the_rest_is_imported(
    visit: Visit, shop: Service, owner: str
) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("bad.csv", BAD_CSV)
    visitor.sees("3 plants to import, 7 lines with a problem.", "#import-counts")
    assert visitor["#import-faults li"].all_text_contents() == [
        "Line 3 id must be a whole number, such as 7",
        "Line 4 name is missing",
        "Line 5 name must be 1 to 256 characters long, not 257",
        "Line 6 id 1 stands in line 2 already",
        f"Line 7 id must be from {-(2**63)} to {2**63 - 1}",
        "Line 9 name must not have control characters",
        "Line 11 the line has too many columns",
    ]
    visitor["#import-start"].click()
    visitor.sees("3 plants imported, 7 lines not imported.", "#import-result")
    expect(visitor["#import-retry"]).to_be_hidden()
    name, text = visitor.downloads("#import-failed")
    assert name == "not-imported.csv"
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["line", "id", "name", "tag", "problem"]
    assert [row[0] for row in rows[1:]] == ["3", "4", "5", "6", "7", "9", "11"]
    assert rows[4][1:4] == ["1", "Twice", ""]
    assert rows[6][2] == 'Quoted, with "quotes"\nand a second line'
    assert list_all(shop, owner) == [
        {"id": 1, "name": "Fern", "tag": "herb"},
        {"id": 4, "name": "Good"},
        {"id": 7, "name": 'With "quotes", and a comma'},
    ]


def test_ndjson_is_read_line_by_line(visit: Visit, shop: Service, owner: str) -> None:
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
    visitor = visit().sign_in(owner)
    visitor.choose_file("plants.ndjson", text)
    visitor.sees("2 plants to import, 7 lines with a problem.", "#import-counts")
    visitor["#import-start"].click()
    visitor.sees("2 plants imported, 7 lines not imported.", "#import-result")
    names = [one["name"] for one in list_all(shop, owner)]
    assert names == ["Fern", lines[-1]["name"]]


def test_what_the_service_refuses_is_told_with_its_line(
    visit: Visit, shop: Service, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"}, {"id": 2, "name": "Known"})
    visitor = visit().sign_in(owner)
    visitor.choose_file("plants.csv", "id,name\n1,Other\n2,Known\n3,New\n")
    text = "3 plants to import, 2 of them in the store already, 0 lines with a problem."
    visitor.sees(text, "#import-counts")
    visitor.sees("Line 2 this id is in the store already", "#import-faults")
    visitor["#import-start"].click()
    visitor.sees("1 plant imported, 1 in the store already, 1 line not", "#import-result")
    visitor.sees("Line 2 the id 1 belongs to another plant", "#import-failures")


def test_what_is_no_list_is_told(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("empty.csv", "")
    visitor.sees("empty.csv has no plants in it.", "#import-fault")
    visitor.gives_file("only.csv", "id,name,tag\n")
    visitor.sees("only.csv has no plants in it.", "#import-fault")
    visitor.gives_file("picture.png", bytes(range(256)) * 4)
    visitor.sees("picture.png is not in UTF-8", "#import-fault")
    visitor.gives_file("words.txt", "Buy ferns.\nWater them.\n")
    expect(visitor["#import-start"]).to_be_disabled()
    visitor["#import-other"].click()
    visitor.gives_file("plain.csv", GOOD["plain.csv"])
    expect(visitor["#import-start"]).to_be_enabled()


def test_a_file_is_dropped_on_the_page(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.stays("""() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["id,name\\n1,Dropped\\n"], "dropped.csv"));
        for (const type of ["dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(type, {dataTransfer, bubbles: true}));
    }""")
    visitor.sees("dropped.csv", "#import-name")
    visitor.sees("Dropped", "#import-sample")


def test_an_import_is_stopped_and_gone_on_with(visit: Visit, shop: Service, owner: str) -> None:
    rows = "".join(f"{number},Plant {number}\n" for number in range(1, 401))
    visitor = visit().sign_in(owner)
    visitor.choose_file("many.csv", rows)
    held = visitor.hold("**/plants")
    visitor["#import-start"].click()
    expect(visitor["#import-cancel"]).to_be_focused()
    visitor.page.wait_for_timeout(100)
    assert 1 <= len(held.routes) <= 20
    for _ in range(3):  # a browser lets a page refuse to close a dialog once
        visitor.page.keyboard.press("Escape")
        visitor.rest()
    expect(visitor["#import-cancel"]).to_be_focused()
    visitor["#import-cancel"].click()
    visitor.sees("Import stopped", "#import-summary-title")
    visitor.sees("400 lines not imported", "#import-result")
    visitor.page.unroute("**/plants")
    visitor["#import-retry"].click()
    visitor.sees("Import finished", "#import-summary-title")
    assert len(list_all(shop, owner)) == 400


def test_many_are_imported(visit: Visit, shop: Service, owner: str) -> None:
    rows = "".join(f"{number},Plant {number},tag {number % 7}\n" for number in range(1000))
    visitor = visit().sign_in(owner)
    visitor.choose_file("many.csv", rows)
    visitor["#import-start"].click()
    expect(visitor["#import-result"]).to_have_text("1,000 plants imported.", timeout=120_000)
    visitor["#import-done"].click()
    visitor.counts("1,000 plants")
    assert len(list_all(shop, owner)) == 1000


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_what_is_exported_can_be_imported(
    visit: Visit, shop: Service, store: str, owner: str, kind: str
) -> None:
    plants = [
        {"id": -(2**63), "name": 'quotes " and, commas; tabs', "tag": '"'},
        {"id": 1, "name": " spaces around ", "tag": "=1+1"},
        {"id": GREAT, "name": "שרך 🌿"},
    ]
    plant(shop, owner, *plants)
    visitor = visit().sign_in(owner)
    visitor.counts("3 plants")
    name, text = visitor.exports(kind)
    assert name == f"{store}.{kind}"
    if kind == "ndjson":
        assert [json.loads(line) for line in text.splitlines()] == plants
    other = shop.make_token(f"{store}-copy")
    copying = visit().sign_in(other)
    import_all(copying, name, text)
    assert list_all(shop, other) == plants


def test_what_is_filtered_is_exported(visit: Visit, shop: Service, owner: str) -> None:
    for number, tag in enumerate(("a&b", "a&b", None, "c")):
        one = {"id": number, "name": f"Plant {number}"}
        plant(shop, owner, one if tag is None else one | {"tag": tag})
    visitor = visit().sign_in(owner)
    visitor.counts("4 plants")
    visitor["#tag-filter"].select_option("=a&b")
    assert visitor.exports("csv")[1] == "id,name,tag\r\n0,Plant 0,a&b\r\n1,Plant 1,a&b\r\n"
    visitor["#tag-filter"].select_option("=")
    assert visitor.exports("csv")[1] == "id,name,tag\r\n2,Plant 2,\r\n"
    visitor["#tag-filter"].select_option("")
    visitor["#find"].fill("plant 3")
    assert visitor.exports("ndjson")[1] == '{"id":3,"name":"Plant 3","tag":"c"}\n'
