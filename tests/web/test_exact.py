"""What the page reads and writes is exactly what is there: ids of 64 bits, texts of any kind."""

import json
import random

import pytest

from plantstore.model import INT64_MAX, INT64_MIN
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver

PIECES = (
    '"',
    "\\",
    '{"id":1,',
    ',"id": 2}',
    '"id":3',
    ":",
    "{",
    "}",
    "[",
    ",",
    " ",
    "é",
    "שרך",
    "🌿",
    "=",
    "'",
    "@",
)
EDGES = (0, -1, 2**53 - 1, 2**53, 2**53 + 1, INT64_MIN, INT64_MAX)
READ = """async ([module, json]) => {
    const { parseExactly, writePlant } = await import(module);
    const plants = parseExactly(json);
    return [plants, plants.map(writePlant)];
}"""
READ_TABLE = """async ([module, text]) => {
    const { readTable, writeCsv } = await import(module);
    const table = readTable(new TextEncoder().encode(text).buffer);
    const rows = table.rows ?? table;
    return [rows.map(({ plant }) => plant), writeCsv(rows.map(({ plant }) => plant)).join("")];
}"""


@pytest.fixture
def driver(open_page: OpenPage) -> PageDriver:
    """A driver at the page, whose modules a test may call."""
    return open_page().open()


def module(driver: PageDriver, name: str) -> str:
    address: str = driver.evaluate(
        f"new URL('{name}.js', document.querySelector('script').src).href"
    )
    return address


def make_plants(seed: int) -> list[dict[str, object]]:
    """Plants whose texts look like JSON's own parts."""
    chance = random.Random(seed)  # noqa: S311 - no secret

    def make_text() -> str:
        return "".join(chance.choices(PIECES, k=chance.randint(1, 8))).strip() or "x"

    ids = chance.sample((*EDGES, *(chance.randint(INT64_MIN, INT64_MAX) for _ in range(200))), 100)
    return [{"id": one, "name": make_text(), "tag": make_text()} for one in ids]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", " : ")])
def test_json_is_read_and_written_exactly(driver: PageDriver, separators: tuple[str, str]) -> None:
    plants = make_plants(1)
    text = json.dumps(plants, ensure_ascii=False, separators=separators)
    read, written = driver.page.evaluate(READ, [module(driver, "plant"), text])
    assert read == [one | {"id": str(one["id"])} for one in plants]
    assert [json.loads(one) for one in written] == plants


def test_csv_is_read_as_it_was_written(driver: PageDriver) -> None:
    plants = make_plants(2)
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in plants)
    tables = module(driver, "tables")
    read, written = driver.page.evaluate(READ_TABLE, [tables, text])
    assert read == [one | {"id": str(one["id"])} for one in plants]
    assert driver.page.evaluate(READ_TABLE, [tables, written]) == [read, written]


def test_no_cell_of_an_export_is_a_formula(driver: PageDriver) -> None:
    names = ["=1+1", "+1", "-1", "@x", "'=1", "'a", "a=1"]
    text = "\n".join(json.dumps({"id": 1, "name": name, "tag": name}) for name in names)
    _, written = driver.page.evaluate(READ_TABLE, [module(driver, "tables"), text])
    cells = [line.split(",")[1] for line in written.splitlines()[1:]]
    assert cells == ["'=1+1", "'+1", "'-1", "'@x", "''=1", "'a", "a=1"]
