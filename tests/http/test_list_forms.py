"""Lists in CSV and NDJSON, by ``Accept``, and the fields that ``include`` adds."""

import csv
import io
import json
from collections.abc import Iterator

import httpx
import pytest

from plantstore.core.cells import restore
from plantstore.core.model import INT64_MAX, INT64_MIN
from tests.databases import ON_BOTH
from tests.http.blocking import fill_store
from tests.http.calls import create_plant, list_plants
from tests.service import Service

pytestmark = ON_BOTH

CSV, NDJSON, JSON = "text/csv", "application/x-ndjson", "application/json"
OTHERS = (CSV, NDJSON)
MANY = 2500
PLANTS = (
    (INT64_MIN, "=1+1", "'=x"),
    (-1, 'a "b", c;d', None),
    (2**53 + 1, "Ä\u2028\U0001fab4", ""),
    (INT64_MAX, " '@ ", "+a,b"),
)


def read(client: httpx.Client, form: str, query: str = "") -> httpx.Response:
    response = client.get(f"/plants{query}", headers={"Accept": form})
    return response.raise_for_status()


def parse(response: httpx.Response) -> list[dict[str, object]]:
    """The plants of a list in any format."""
    if response.headers["content-type"] == JSON:
        plants: list[dict[str, object]] = response.json()
        return plants
    if response.headers["content-type"] == NDJSON:
        return [json.loads(line) for line in response.text.split("\n") if line]
    rows = csv.DictReader(io.StringIO(response.text, newline=""), strict=True)
    cells = [{name: restore(cell) for name, cell in row.items() if cell} for row in rows]
    return [row | {"id": int(row["id"])} for row in cells]


@pytest.fixture
def unusual_plants(client: httpx.Client) -> httpx.Client:
    for plant in PLANTS:
        create_plant(client, *plant)
    return client


@pytest.fixture(scope="module")
def many(service: Service) -> Iterator[httpx.Client]:
    with service.client(service.make_token("many", "owner of many")) as client:
        fill_store(service, "many", MANY)
        yield client


def test_csv_follows_rfc_4180_and_escapes_formulas(unusual_plants: httpx.Client) -> None:
    response = read(unusual_plants, CSV)
    assert response.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert response.text == (
        "id,name,tag\r\n"
        f"{INT64_MIN},'=1+1,''=x\r\n"
        '-1,"a ""b"", c;d",\r\n'
        "9007199254740993,Ä\u2028\U0001fab4,\r\n"
        f'{INT64_MAX}," \'@ ","\'+a,b"\r\n'
    )


def test_ndjson_has_one_plant_with_its_id_per_line(unusual_plants: httpx.Client) -> None:
    response = read(unusual_plants, NDJSON)
    assert response.headers["content-type"] == NDJSON
    assert parse(response) == list_plants(unusual_plants)
    assert response.text.count("\n") == len(PLANTS)
    for form, nothing in ((NDJSON, ""), (CSV, "id,name,tag\r\n")):
        assert read(unusual_plants, form, "?limit=0").text == nothing


@pytest.mark.parametrize("form", [JSON, NDJSON])
def test_included_fields_are_in_each_plant(unusual_plants: httpx.Client, form: str) -> None:
    whole = list_plants(unusual_plants)
    for row, plant in zip(
        parse(read(unusual_plants, form, "?include=etag&include=id_text,id")), whole, strict=True
    ):
        etag = unusual_plants.get(f"/plants/{plant['id']}").headers["etag"]
        assert row == plant | {"id_text": str(plant["id"]), "etag": etag}
    texts = parse(read(unusual_plants, form, "?include=id_text&limit=1"))
    assert [row["id_text"] for row in texts] == [str(INT64_MIN)]
    assert [row.get("id") for row in texts] == [INT64_MIN if form == NDJSON else None]


@pytest.mark.parametrize("form", [*OTHERS, JSON])
def test_each_format_has_its_own_etag_and_cache_entry(
    unusual_plants: httpx.Client, form: str
) -> None:
    lists = {other: read(unusual_plants, other) for other in (*OTHERS, JSON)}
    listed = lists[form]
    for other, response in lists.items():
        known = {"If-None-Match": response.headers["etag"], "Accept": form}
        for _ in range(3):  # from the database, cached by query, cached by bytes
            status = unusual_plants.get("/plants", headers=known).status_code
            assert status == (304 if other == form else 200)
    for _ in range(3):
        again = read(unusual_plants, form)
        assert (again.content, again.headers["etag"]) == (listed.content, listed.headers["etag"])
    head = unusual_plants.head("/plants", headers={"Accept": form})
    for name in ("content-type", "content-length", "etag", "vary", "x-total-count"):
        assert head.headers[name] == listed.headers[name]


@pytest.mark.parametrize("form", OTHERS)
def test_long_lists_are_streamed_in_each_format(many: httpx.Client, form: str) -> None:
    for query, count in (("", MANY), ("?limit=1500", 1500), ("?limit=1000", 1000)):
        listed = read(many, form, query)
        assert [plant["id"] for plant in parse(listed)] == list(range(1, count + 1))
        assert listed.headers["x-total-count"] == str(MANY)
        assert ("link" in listed.headers) is (count < MANY)
    compressed = many.get("/plants", headers={"Accept": form, "Accept-Encoding": "gzip"})
    assert compressed.headers["content-encoding"] == "gzip"
    assert compressed.content == read(many, form).content
    link = read(many, form, "?limit=2000&include=id_text,etag").headers["link"]
    assert "&include=etag&include=id_text" in link  # sorted
    remaining = read(many, form, link[1 : link.index(">")])
    assert [plant["id"] for plant in parse(remaining)] == list(range(2001, MANY + 1))


@pytest.mark.parametrize(
    ("accepted", "form"),
    [
        ("*/*", JSON),
        ("text/html,*/*;q=0.8", JSON),
        ("text/csv;q=0", JSON),
        ("application/json, text/csv", JSON),
        ("application/json;q=0.5, text/csv", CSV),
        ("text/csv;q=0.5, application/x-ndjson", NDJSON),
        ("TEXT/CSV , */*", CSV),
    ],
)
def test_accept_selects_the_format_and_json_is_the_default(
    client: httpx.Client, accepted: str, form: str
) -> None:
    assert read(client, accepted).headers["content-type"].startswith(form)
