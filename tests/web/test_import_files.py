"""Files of all kinds: what they are is understood, or it is said why not."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant

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


def offers_nothing(visitor: Visitor) -> bool:
    """Whether there is nothing to import."""
    start = visitor["#import-start"]
    return not (start.is_visible() and start.is_enabled())


def test_what_is_not_utf_8_is_told(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("old.csv", "id;name\r\n1;Bärlauch\r\n2;Fern\r\n".encode("cp1252"))
    visitor.sees("UTF-8", "#import-fault")
    assert offers_nothing(visitor)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read(visit: Visit, shop: Service, owner: str, encoding: str) -> None:
    visitor = visit().sign_in(owner)
    text = "\ufeffid\tname\ttag\r\n1\tBärlauch\therb\r\n"
    visitor.choose_file("table.txt", text.encode(encoding))
    visitor.sees("1 plant to import, 0 lines with a problem.", "#import-counts")
    visitor["#import-start"].click()
    visitor.sees("1 plant imported.", "#import-result")
    assert list_all(shop, owner) == [{"id": 1, "name": "Bärlauch", "tag": "herb"}]


def test_a_quote_that_is_never_closed_is_told_by_its_line(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("open.csv", 'id,name\n1,Fern\n2,"Aloe\n' + "3,Basil\n" * 1_500_000)
    fault = re.compile(r"line 3\b", re.IGNORECASE)
    expect(visitor["#import"].get_by_text(fault).filter(visible=True).first).to_be_visible()


@pytest.mark.parametrize(
    "text",
    [
        "\r\n\r\nid;name;tag\r\n1;Fern;\r\n",
        "id;name\n1;Fern\n;\n; \n;\n",
        "sep=;\r\nname;id\r\nFern;1\r\n",
        "sep=,\nname,id\nFern,1\n",
    ],
)
def test_lines_that_hold_no_plant_are_passed_over(visit: Visit, owner: str, text: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("sheet.csv", text)
    visitor.sees("1 plant to import, 0 lines with a problem.", "#import-counts")


def test_what_is_read_is_told_meanwhile(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor["#import-open"].click()
    visitor.stays(NOTE_TITLES)
    visitor.gives_file("none.csv", "id,name\n")
    visitor.sees("none.csv has no plants", "#import-fault")
    assert visitor.stays("window.titles") == ["Reading the file…", "Import plants"]


def test_a_long_quoted_cell_is_read(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("long.csv", f'id,name\n1,"{"x" * 9_000_000}"\n2,Fern\n')
    visitor.sees("1 plant to import, 1 line with a problem.", "#import-counts")
    visitor.sees("Line 2", "#import-faults")


def test_a_file_that_vanished_is_told(visit: Visit, owner: str, tmp_path: Path) -> None:
    path = tmp_path / "vanished.csv"
    path.write_text("id,name\n1,Fern\n", encoding="utf-8")
    visitor = visit().sign_in(owner)
    visitor.stays(ADD_PROBE)
    visitor["#probe"].set_input_files(path)
    path.unlink()
    visitor.stays(DROP_PROBE)
    expect(visitor["#import-fault"]).to_be_visible()
    expect(visitor["#import-fault"]).not_to_be_empty()
    assert offers_nothing(visitor)


def test_two_columns_of_one_name_are_told(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    visitor.choose_file("twice.csv", "id,name,name\n1,Fern,Aloe\n")
    faults = visitor["#import-fault, #import-faults"].filter(visible=True)
    expect(faults).to_contain_text("name")
    assert offers_nothing(visitor)


@pytest.mark.parametrize("indent", [None, 2])
def test_the_answer_of_the_interface_is_imported(
    visit: Visit, shop: Service, store: str, owner: str, indent: int | None
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern", "tag": "herb"}, {"id": GREAT, "name": "Aloe"})
    plants = list_all(shop, owner)
    other = shop.make_token(f"{store}-copy")
    visitor = visit().sign_in(other)
    visitor.choose_file("plants.json", json.dumps(plants, indent=indent))
    visitor.sees("2 plants to import, 0 lines with a problem.", "#import-counts")
    visitor["#import-start"].click()
    visitor.sees("2 plants imported.", "#import-result")
    assert list_all(shop, other) == plants


def test_a_tag_is_text_or_left_out(visit: Visit, owner: str) -> None:
    lines = [{"id": n, "name": "Fern", "tag": tag} for n, tag in enumerate((0, False, None, "t"))]
    visitor = visit().sign_in(owner)
    visitor.choose_file("tags.ndjson", "\n".join(map(json.dumps, lines)))
    visitor.sees("1 plant to import, 3 lines with a problem.", "#import-counts")


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_a_byte_order_mark_may_be_a_name(
    visit: Visit, shop: Service, store: str, owner: str, kind: str
) -> None:
    plants = [{"id": 1, "name": "\ufeff", "tag": "\ufeff"}, {"id": 2, "name": "\ufeffFern\ufeff"}]
    plant(shop, owner, *plants)
    visitor = visit().sign_in(owner)
    visitor.counts("2 plants")
    name, text = visitor.exports(kind)
    other = shop.make_token(f"{store}-copy")
    copying = visit().sign_in(other)
    copying.choose_file(name, text)
    copying.sees("2 plants to import, 0 lines with a problem.", "#import-counts")
    copying["#import-start"].click()
    copying.sees("2 plants imported.", "#import-result")
    assert list_all(shop, other) == plants
