"""Files of all kinds: what they are is understood and shown first, or it is said why not."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.cli.program import Program
from tests.web.page_driver import PageDriver

GREAT = 2**53 + 1
PLANTS = [{"id": 1, "name": "Fern", "tag": "herb"}, {"id": GREAT, "name": "Aloe"}]
SHEET = "\ufeffid\tname\ttag\r\n1\tFern\therb\r\n9007199254740993\tAloe\t\r\n"
GOOD: dict[str, str | bytes] = {
    "plain.csv": f"id,name,tag\n1,Fern,herb\n{GREAT},Aloe,\n",
    "bom.csv": f"\ufeffid,name,tag\r\n1,Fern,herb\r\n{GREAT},Aloe\r\n\r\n",
    "other order.csv": f"Tag;Name;ID\nherb;Fern;1\n;Aloe;{GREAT}",
    "tabs.tsv": f"id\tname\ttag\n1\tFern\therb\n{GREAT}\tAloe\t",
    "no header.csv": f"1,Fern,herb\n{GREAT},Aloe",
    "quoted.csv": f'"id","name","tag"\n"1","Fern","herb"\n"{GREAT}","Aloe",""\n',
    "empty lines.csv": f"\r\n\r\nid;name;tag\r\n1;Fern;herb\r\n;\r\n; \r\n;\r\n{GREAT};Aloe;\r\n",
    "hint.csv": f"sep=;\r\ntag;name;id\r\nherb;Fern;1\r\n;Aloe;{GREAT}\r\n",
    "other hint.csv": f"sep=,\nname,id,tag\nFern,1,herb\nAloe,{GREAT},\n",
    "utf-16-le.txt": SHEET.encode("utf-16-le"),
    "utf-16-be.txt": SHEET.encode("utf-16-be"),
    "lines.ndjson": '{"id":1,"name":"Fern","tag":"herb"}\n\n'
    f'{{"name": "Aloe", "id" : {GREAT} }}\n',
    "array.json": json.dumps(PLANTS),
    "indented.json": json.dumps(PLANTS, indent=2),
}
BAD: dict[str, tuple[str | bytes, str]] = {
    "empty.csv": ("", "contains no plants."),
    "only.csv": ("id,name,tag\n", "contains no plants."),
    "picture.png": (bytes(range(256)) * 4, "is not in UTF-8"),
    "old.csv": ("id;name\r\n1;Bärlauch\r\n2;Fern\r\n".encode("cp1252"), "is not in UTF-8"),
    "twice.csv": ("id,name,name\n1,Fern,Aloe\n", "has two columns named name."),
    "broken.json": ('[{"id": 1', "is not valid JSON."),
}
BAD_LINES = f"""id,name,tag
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
SAMPLE = """() => [...document.querySelectorAll("#import-sample tr")]
    .map((row) => [...row.cells].map((cell) => cell.textContent))"""
# Made in the page: the way there is long for what is that large.
DROP_LARGE = """(script) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([eval(script)], "large.csv"));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true}));
}"""
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


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """The page of an empty store."""
    return driver.sign_in()


def assert_nothing_offered(driver: PageDriver) -> None:
    """There is nothing to import."""
    expect(driver["#import-start"]).to_be_hidden()


def import_all(driver: PageDriver, name: str, content: str) -> None:
    driver.choose_file(name, content)
    driver["#import-start"].click()
    driver.assert_shows("Import finished", "#import-summary-title")


def test_files_of_each_kind_are_read(driver: PageDriver) -> None:
    driver["#import-open"].click()
    for name, content in GOOD.items():
        driver.set_file(name, content)
        driver.assert_shows(name, "#import-name")
        driver.assert_shows("2 plants to import, 0 lines with a problem.", "#import-counts")
        assert driver.evaluate(SAMPLE) == [["1", "Fern", "herb"], [str(GREAT), "Aloe", ""]], name
        driver["#import-other"].click()
    driver.set_file(name, content)
    driver["#import-start"].click()
    driver.assert_shows("2 plants imported.", "#import-result")
    driver["#import-done"].click()
    driver.assert_count("2 plants")
    assert driver.list_plants() == PLANTS


def test_what_is_no_list_is_told(driver: PageDriver) -> None:
    driver["#import-open"].click()
    for name, (content, words) in BAD.items():
        driver.set_file(name, content)
        driver.assert_shows(f"{name} {words}", "#import-reason")
        assert_nothing_offered(driver)
    driver.set_file("words.txt", "Buy ferns.\nWater them.\n")
    expect(driver["#import-start"]).to_be_disabled()
    driver["#import-other"].click()
    driver.set_file("plain.csv", GOOD["plain.csv"])
    expect(driver["#import-start"]).to_be_enabled()


def test_problems_are_told_by_line_and_the_rest_is_imported(driver: PageDriver) -> None:
    driver.choose_file("bad.csv", BAD_LINES)
    driver.assert_shows("3 plants to import, 7 lines with a problem.", "#import-counts")
    assert driver["#import-reasons li"].all_text_contents() == [
        "Line 3 id must be a whole number, such as 7",
        "Line 4 name is missing",
        "Line 5 name must be 1 to 256 characters long, not 257",
        "Line 6 id 1 is already in line 2",
        f"Line 7 id must be from {-(2**63)} to {2**63 - 1}",
        "Line 9 name must not contain control characters or overrides of the text's direction",
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
    assert driver.list_plants() == [
        {"id": 1, "name": "Fern", "tag": "herb"},
        {"id": 4, "name": "Good"},
        {"id": 7, "name": 'With "quotes", and a comma'},
    ]


def test_ndjson_is_read_line_by_line(driver: PageDriver) -> None:
    lines: list[Any] = [
        {"id": 1, "name": "Fern", "more": {"id": 2}},
        [1],
        "text",
        {"id": 1.5, "name": "Half"},
        {"name": "None"},
        {"id": 2, "name": 7},
        *({"id": n, "name": "Fern", "tag": tag} for n, tag in enumerate((0, False, None), 5)),
        {"id": 4, "name": '"id": 5, {"id":6}', "tag": "t"},
    ]
    driver.choose_file("plants.ndjson", "\n".join([*map(json.dumps, lines), "{broken"]))
    driver.assert_shows("2 plants to import, 9 lines with a problem.", "#import-counts")
    driver["#import-start"].click()
    driver.assert_shows("2 plants imported, 9 lines not imported.", "#import-result")
    names = [one["name"] for one in driver.list_plants()]
    assert names == ["Fern", lines[-1]["name"]]


def test_large_files_are_read(driver: PageDriver) -> None:
    open_quote = """'id,name\\n1,Fern\\n2,"Aloe\\n' + '3,Basil\\n'.repeat(300_000)"""
    driver.page.evaluate(DROP_LARGE, open_quote)
    line = re.compile(r"line 3\b", re.IGNORECASE)
    expect(driver["#import"].get_by_text(line).filter(visible=True).first).to_be_visible()
    driver["#import-other"].click()
    driver.page.evaluate(
        DROP_LARGE, """'id,name\\n1,"' + 'x'.repeat(9_000_000) + '"\\n2,Fern\\n'"""
    )
    driver.assert_shows("1 plant to import, 1 line with a problem.", "#import-counts")
    driver.assert_shows("Line 2", "#import-reasons")


def test_what_is_read_is_told_meanwhile(driver: PageDriver) -> None:
    driver["#import-open"].click()
    driver.evaluate(NOTE_TITLES)
    driver.set_file("none.csv", "id,name\n")
    driver.assert_shows("none.csv contains no plants", "#import-reason")
    assert driver.evaluate("window.titles") == ["Reading the file…", "Import plants"]


def test_a_file_that_vanished_is_told(driver: PageDriver, tmp_path: Path) -> None:
    path = tmp_path / "vanished.csv"
    path.write_text("id,name\n1,Fern\n", encoding="utf-8")
    driver.evaluate(ADD_PROBE)
    driver["#probe"].set_input_files(path)
    path.unlink()
    driver.evaluate(DROP_PROBE)
    expect(driver["#import-reason"]).to_be_visible()
    expect(driver["#import-reason"]).not_to_be_empty()
    assert_nothing_offered(driver)


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
    driver.refocus()
    driver.assert_count("5 plants")
    files = dict(driver.export(kind) for kind in ("csv", "ndjson"))
    assert list(files) == [f"{driver.store}.csv", f"{driver.store}.ndjson"]
    assert [json.loads(line) for line in files[f"{driver.store}.ndjson"].splitlines()] == plants
    for number, (name, text) in enumerate(files.items()):
        copy = driver.service.make_token(f"{driver.store}-copy-{number}")
        driver["#sign-out"].click()
        import_all(driver.sign_in(copy), name, text)
        assert driver.list_plants(copy) == plants
        driver["#import-done"].click()
        (tmp_path / name).write_bytes(text.encode())
        program.out("export", f"by-command-{name}", "--store", driver.store)
        assert (tmp_path / f"by-command-{name}").read_bytes() == text.encode()
        again = f"{driver.store}-again-{number}"
        program.out("store", "create", again)
        program.out("import", name, "--store", again)
        assert driver.list_plants(driver.service.make_token(again)) == plants


def test_what_is_filtered_is_exported(driver: PageDriver) -> None:
    for number, tag in enumerate(("a&b", "a&b", None, "c")):
        one = {"id": number, "name": f"Plant {number}"}
        driver.create_plants(one if tag is None else one | {"tag": tag})
    driver.refocus()
    driver.assert_count("4 plants")
    driver["#tag-filter"].select_option("=a&b")
    assert driver.export("csv")[1] == "id,name,tag\r\n0,Plant 0,a&b\r\n1,Plant 1,a&b\r\n"
    driver["#tag-filter"].select_option("=")
    assert driver.export("csv")[1] == "id,name,tag\r\n2,Plant 2,\r\n"
    driver["#tag-filter"].select_option("")
    driver["#find"].fill("plant 3")
    assert driver.export("ndjson")[1] == '{"id":3,"name":"Plant 3","tag":"c"}\n'
