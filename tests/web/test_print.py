"""On paper stands all that one looks for, not the rows in sight."""

import re

from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, plant

_KEEP_ROWS = """() => addEventListener("beforeprint", () => {
    globalThis.printed = [...document.querySelectorAll("#print-title, #print-rows tr")]
        .map((row) => [...row.childNodes].map((cell) => cell.textContent).join("|"));
})"""


def print_page(visitor: Visitor) -> tuple[list[str], int]:
    """What stands on the paper: the title and the plants; and the number of sheets."""
    visitor.page.evaluate(_KEEP_ROWS)
    paper = visitor.page.pdf()
    return visitor.page.evaluate("printed"), len(re.findall(rb"/Type /Page\b", paper))


def test_the_whole_list_is_printed(visit: Visit, shop: Service, owner: str, store: str) -> None:
    numbers = range(1, 501)
    plant(shop, owner, *({"id": n, "name": f"Fern {n}", "tag": "herb"} for n in numbers))
    visitor = visit().sign_in(owner)
    visitor.counts("500 plants")
    lines, sheets = print_page(visitor)
    assert lines == [f"{store}: 500 plants", *(f"{n}|Fern {n}|herb" for n in numbers)]
    assert sheets > 5
    expect(visitor["#print td"]).to_have_count(0)
    expect(visitor["#print"]).to_be_hidden()


def test_what_one_looks_for_is_printed(visit: Visit, shop: Service, owner: str, store: str) -> None:
    plant(shop, owner, {"id": 1, "name": "<b>Fern</b>"}, {"id": 2, "name": "Aloe"})
    visitor = visit().sign_in(owner)
    visitor["#find"].fill("fern")
    visitor.counts("1 of 2 plants")
    assert print_page(visitor) == ([f"{store}: 1 of 2 plants", "1|<b>Fern</b>|"], 1)


def test_who_is_signed_out_prints_no_plants(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.counts("1 plant")
    print_page(visitor)
    visitor["#sign-out"].click()
    lines, _ = print_page(visitor)
    assert lines == [""]
