"""Many changes in one request: the result of each line, and the plants afterwards."""

import httpx
import pytest

from plantstore.core.model import NewPlant, Scope, entity_tag_of
from tests.features.changes.client import (
    Result,
    changes_message,
    numbers_of,
    plant_line,
    plant_lines,
    read_lines,
)
from tests.features.changes.routes import ROUTES
from tests.http.calls import create_plant, list_plants
from tests.http.expect import expect_clean_end, expect_error
from tests.http.fixtures import CREATES, DELETES, UPDATES, Route, StoreFixture
from tests.http.raw import Connection, Message

MAX_LINE = 16 * 1024
LONG = b'{"id": 90, "name": "Fern", "x": "%s"}'
FERN = entity_tag_of(NewPlant(1, "Fern")).encode()
# Each line with its expected error number or status: 0 for a blank line, which has no result.
LINES = [
    (b'{"id": 2, "name": "Aloe", "tag": "succulent"}', 200),
    (b'  {"name": "Ivy", "op": "create", "id": 3}\t\r', 200),
    (b"", 0),
    (b'{"id": 4, "name": "Moss"', 40001),
    (b'{"id": 4, "name": "M\xff"}', 40001),
    (b'{"id": 4, "name": "Moss"}{"id": 5, "name": "Moss"}', 40001),
    (b" \r", 0),
    (b'{"id": 4}', 40002),
    (b"[]", 40002),
    (b'{"op": "merge", "id": 4, "name": "Moss"}', 40002),
    (b'{"op": null, "id": 4, "name": "Moss"}', 40002),
    (b'{"op": ["delete"], "id": 4}', 40002),
    (b'{"id": 4, "name": "Mo\x00ss"}', 40001),
    (b'{"id": 4, "name": "Mo\\u0000ss"}', 40002),
    (b'{"id": 9223372036854775808, "name": "Moss"}', 40002),
    (b'{"op": "delete", "id": -9223372036854775809}', 40002),
    (b'{"op": "delete", "id": -9223372036854775808}', 40401),
    (b'{"op": "delete"}', 40002),
    (b'{"id": 1, "name": "Fern"}', 40004),
    (b'{"id": 1, "name": "Other"}', 40003),
    (b'{"id": 2, "name": "Aloe"}', 40003),
    (b'{"id": 3, "name": "Ivy", "if_match": "*"}', 41202),
    (b'{"op": "update", "id": 4, "name": "Moss"}', 40401),
    (b'{"op": "upsert", "id": 4, "name": "Moss", "if_match": "*"}', 40401),
    (b'{"op": "upsert", "id": 4, "name": ""}', 40002),
    (b'{"op": "upsert", "id": 4, "name": "Moss"}', 200),
    (b'{"op": "upsert", "id": 4, "name": "Moss", "tag": "green"}', 200),
    (b'{"op": "upsert", "id": 4, "name": "Moss", "tag": "green"}', 200),
    (b'{"op": "update", "id": 1, "name": "Bracken", "if_match": "\\"00\\""}', 41201),
    (b'{"op": "update", "id": 1, "name": "Bracken", "if_match": "\\ud800"}', 41201),
    (b'{"op": "update", "id": 1, "name": "Bracken", "if_match": null}', 40002),
    (b'{"op": "update", "id": 1, "name": "Bracken", "if_match": "W/\\"%s\\""}' % FERN, 200),
    (b'{"op": "delete", "id": 1, "if_match": "\\"%s\\""}' % FERN, 41201),
    (b'{"op": "delete", "id": 1, "if_match": "%s"}' % b",".join(100 * [b"x"]), 41201),
    (b'{"op": "delete", "id": 1, "if_match": "%s"}' % b",".join(101 * [b"x"]), 40014),
    (b'{"op": "delete", "id": 3, "name": null, "tag": 7}', 204),
    (b'{"op": "delete", "id": 3}', 40401),
    (LONG % (b"x" * (MAX_LINE - len(LONG) + 3)), 41301),
    (LONG % (b"x" * 300_000), 41301),
    (LONG % (b"x" * (MAX_LINE - len(LONG) + 2)), 200),
    (b'{"id": 9223372036854775807, "name": "Sage"}', 200),
]
BODY = b"\n".join(line for line, _ in LINES)  # the last line has no end
EXPECTED = [(number, error) for number, (_, error) in enumerate(LINES, 1) if error]
STORED = {1: "Bracken", 2: "Aloe", 4: "Moss", 90: "Fern", 2**63 - 1: "Sage"}


def names_in(fixture: StoreFixture) -> dict[int, str]:
    with fixture.service.client(fixture.token) as client:
        return {plant["id"]: plant["name"] for plant in list_plants(client)}


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_each_line_returns_its_result_in_order(fixture: StoreFixture, route: Route) -> None:
    message = changes_message(fixture.token, BODY, fixture.message(route).target)
    response = fixture.send(message)
    assert response.status == 200
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["cache-control"] == "no-store"
    results = read_lines(response.body)
    assert numbers_of(results) == EXPECTED
    for result in results:
        other_keys = {200: {"etag"}, 204: set()}.get(result["status"], {"error", "message"})
        assert set(result) == {"line", "status"} | other_keys
        assert "error" not in other_keys or result["status"] == result["error"] // 100
    assert names_in(fixture) == STORED
    events = fixture.service.events(fixture.store)
    assert [event.plant.id for event in events] == [1, 2, 3, 4, 4, 1, 3, 90, 2**63 - 1]


def test_a_line_has_the_result_of_the_single_request(fixture: StoreFixture) -> None:
    """Status, ETag and error number are the same, and the message but for its subject."""
    create, update, delete = CREATES[0], UPDATES[0], DELETES[0]
    plant = b'"id": 1, "name": "Moss"'
    for route, line, body in (
        (create, b'{"op": "create", %s}' % plant, b"{%s}" % plant),
        (create, b'{"op": "create", "id": 1}', b'{"id": 1}'),
        (update, b'{"op": "update", %s}' % plant, b"{%s}" % plant),
        (update, b'{"op": "update", "id": 1, "name": 7}', b'{"name": 7}'),
        (delete, b'{"op": "delete", "id": 1}', b""),
    ):
        single = fixture.send(fixture.message(route).with_body(body))
        if single.status == 204:
            assert fixture.create(b'{"id": 1, "name": "Fern"}').status == 200
        (result,) = read_lines(fixture.send(changes_message(fixture.token, line)).body)
        assert result.pop("line") == 1
        assert result.pop("status") == single.status
        etag = {"etag": single.headers["etag"]} if "etag" in single.headers else {}
        refusal = {} if single.status < 300 else single.json
        if "message" in refusal:
            message = refusal["message"].replace(
                "the body must be a plant", "the line must be a change"
            )
            refusal["message"] = message
        assert result == etag | refusal


def test_each_line_needs_the_scope_of_its_change(fixture: StoreFixture) -> None:
    body = b"".join(
        b'{"op": "%s", "id": 1, "name": "Fern"}\n' % op
        for op in (b"create", b"update", b"upsert", b"delete")
    )
    allowed = [(1, 40004), (2, 200), (3, 200), (4, 204)]
    for scope, lines in ((Scope.CREATE, {1, 3}), (Scope.UPDATE, {2, 3}), (Scope.DELETE, {4})):
        token = fixture.token_missing(scope)
        results = numbers_of(read_lines(fixture.send(changes_message(token, body)).body))
        assert results == [(line, 40301 if line in lines else status) for line, status in allowed]
        fixture.create(b'{"id": 1, "name": "Fern"}')


def test_error_messages_describe_the_line(fixture: StoreFixture) -> None:
    body = b'{"id": x}\n{"id": 7}\n' + b"x" * (MAX_LINE + 1)
    results = read_lines(fixture.send(changes_message(fixture.token, body)).body)
    assert [result["message"] for result in results] == [
        "the line must be one JSON value in UTF-8: it is not valid JSON at column 8",
        "the line must be a change: name is missing",
        "the line is over 16 KiB: shorten it",
    ]


@pytest.mark.parametrize("body", [b"", b"\n", b"\n \r\n"])
def test_a_blank_body_has_no_results(fixture: StoreFixture, body: bytes) -> None:
    message = changes_message(fixture.token, body).replacing_header(
        "Content-Length", str(len(body))
    )
    response = fixture.send(message)
    assert (response.status, response.body) == (200, b"")


def test_a_refused_request_changes_nothing(fixture: StoreFixture) -> None:
    """It is refused before its body is read, with a normal error."""
    good = changes_message(fixture.token, plant_lines(range(2, 2000)))
    refused: list[tuple[int, Message]] = [
        (40010, good.with_header("Idempotency-Key", "key")),
        (40101, good.without("Authorization")),
        (40102, good.replacing_header("Authorization", "Bearer pst_1_nonsense")),
        (40403, good.with_target("/stores/nowhere/changes")),
        *(
            (40013, good.with_target(f"/changes?{query}"))
            for query in ("atomic=1", "Atomic=true", "x", "atomic=true&atomic=true")
        ),
        (41202, good.with_header("If-Match", "*")),
        (41501, good.replacing_header("Content-Type", "application/ndjson")),
        (41501, good.replacing_header("Content-Type", "application/x-ndjson; charset=latin-1")),
        (41501, good.with_header("Content-Encoding", "gzip")),
    ]
    for number, message in refused:
        with Connection(fixture.service.origin) as connection:
            response = connection.request(message)
            expect_error(response, number)
            expect_clean_end(connection, response)
    assert names_in(fixture) == {1: "Fern"}


def test_a_media_type_may_name_utf_8(fixture: StoreFixture) -> None:
    message = changes_message(fixture.token, plant_line(2))
    message = message.replacing_header("Content-Type", 'Application/X-NDJSON; charset="UTF-8"')
    assert numbers_of(read_lines(fixture.send(message).body)) == [(1, 200)]


def test_the_error_for_ndjson_sent_to_plants_names_changes(fixture: StoreFixture) -> None:
    response = fixture.send(changes_message(fixture.token, plant_line(2), "/plants"))
    assert response.number == 41501
    assert "NDJSON goes to /changes" in response.json["message"]


@pytest.mark.parametrize(("form", "first"), [("application/x-ndjson", 1), ("text/csv", 2)])
def test_a_list_as_ndjson_or_csv_can_be_sent_back(
    client: httpx.Client, form: str, first: int
) -> None:
    create_plant(client, 7, '=1+1, "Ä"\u2028', "'-x")
    create_plant(client, 2**53 + 1, " \U0001fab4;")
    listed = client.get("/plants?include=etag", headers={"Accept": form}).content
    for plant_id in (2**53 + 1, 7):
        assert client.delete(f"/plants/{plant_id}").status_code == 204
    results = send(client, listed, form)
    assert numbers_of(results) == [(first, 200), (first + 1, 200)]
    assert client.get("/plants?include=etag", headers={"Accept": form}).content == listed


def send(client: httpx.Client, body: bytes, form: str) -> list[Result]:
    response = client.post("/changes", content=body, headers={"Content-Type": form})
    return read_lines(response.raise_for_status().content)


def test_csv_columns_are_the_keys_of_a_change(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern", "shade")
    create_plant(client, 2, "Moss")
    body = "\n".join(
        (
            "\ufeffName;OP;id;tag;if_match;other",
            "",
            f'Ivy;update;1;;"""{FERN.decode()}""";x',
            f'Ivy;update;2;;"""{FERN.decode()}""";',
            ";delete; 2;;;",
            ";;;;;",
            "Aloe;;seven;;;",
            "Aloe;;99999999999999999999999;;;",
            "Aloe;;3;;;;x",
            "Aloe;merge;3;;;",
            'Aloe;;-3;"a;b";;',
            f"{'x' * MAX_LINE};;3;;;",
            "Aloe;;4;;;",
        )
    )
    refused = [(number, 40002) for number in range(7, 11)]
    assert numbers_of(send(client, body.encode(), "text/csv;charset=utf-8")) == [
        *((3, 41201), (4, 41201), (5, 204)),
        *(*refused, (11, 200), (12, 41301), (13, 41301)),
    ]
    before = send(client, b"\xef\xbb\xbf\n,\nid,name\n7,Aloe\n", "text/csv")
    assert numbers_of(before) == [(4, 200)]
    client.delete("/plants/7").raise_for_status()
    unnamed = send(client, b"7,Aloe\n,\n8,Ivy\n", "text/csv")
    assert numbers_of(unnamed) == [(1, 40002), (3, 40002)]
    assert all("must name the columns" in result["message"] for result in unnamed)
    twice = send(client, b"id,name,Name\n7,Aloe,Ivy\n", "text/csv")
    assert numbers_of(twice) == [(1, 40002), (2, 40002)]
    assert all("two columns are named name" in result["message"] for result in twice)
    assert list_plants(client) == [
        {"id": -3, "name": "Aloe", "tag": "a;b"},
        {"id": 1, "name": "Fern", "tag": "shade"},
    ]


@pytest.mark.parametrize(
    ("count", "expected"), [(998, [(2, 200), (3, 40002)]), (999, [(2, 40002), (3, 40002)])]
)
def test_up_to_1000_csv_columns_are_read(
    client: httpx.Client, count: int, expected: list[tuple[int, int]]
) -> None:
    others = b"".join(b",x%d" % number for number in range(count))
    body = b"id,name%s\n1,Fern%s\n2,Fern%s\n" % (others, count * b",y", (count + 1) * b",y")
    body += (count + 1) * b","
    assert numbers_of(send(client, body, "text/csv")) == expected


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_lines_within_a_quoted_csv_cell_are_not_changes(client: httpx.Client, size: int) -> None:
    body = (
        b"op,id,name,tag,note\n"
        b'create,1,"a ""fern""",red,"to do:\n'
        b"delete,7,old\n"
        b"\n"
        b'""create"",3,x"\r\n'
        b'create,2,5" pot,,"",\n'
        b'create,4,"two\nlines",,\n'
        b'create,5,Ivy,"x"\n'
        b'create,6,"Moss\n'
        b"delete,1,\n"
    )
    create_plant(client, 7, "Aloe")
    parts = (body[start : start + size] for start in range(0, len(body), size))
    response = client.post("/changes", content=parts, headers={"Content-Type": "text/csv"})
    assert numbers_of(read_lines(response.content)) == [
        *((2, 200), (6, 200), (7, 40002), (9, 200), (10, 40002)),
    ]
    assert [(plant["id"], plant["name"]) for plant in list_plants(client)] == [
        *((1, 'a "fern"'), (2, '5" pot'), (5, "Ivy"), (7, "Aloe")),
    ]
