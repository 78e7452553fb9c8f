"""Atomic changes: one response with all results, or with the first error."""

from pathlib import Path

import pytest

from tests.features.changes.client import (
    changes_message,
    numbers_of,
    plant_line,
    plant_lines,
    read_lines,
)
from tests.features.changes.test_changes import names_in
from tests.http.expect import expect_error
from tests.http.fixtures import StoreFixture, make_fixture
from tests.http.raw import Connection, Message, Response
from tests.service import Service

BODY = b"""{"id": 2, "name": "Aloe"}

{"op": "update", "id": 1, "name": "Moss"}
{"op": "delete", "id": 2}
"""


def atomic(fixture: StoreFixture, body: bytes, key: str | None = None) -> Message:
    message = changes_message(fixture.token, body, "/changes?atomic=true")
    message = message.replacing_header("Content-Length", str(len(body)))
    return message if key is None else message.with_header("Idempotency-Key", key)


def send(fixture: StoreFixture, body: bytes, key: str | None = None) -> Response:
    return fixture.send(atomic(fixture, body, key))


def test_atomic_changes_return_a_result_for_each_line(fixture: StoreFixture) -> None:
    response = send(fixture, BODY)
    assert (response.status, response.headers["content-type"]) == (200, "application/x-ndjson")
    results = read_lines(response.body)
    assert numbers_of(results) == [(1, 200), (3, 200), (4, 204)]
    single = fixture.send(
        Message("GET", "/plants/1").with_header("Authorization", f"Bearer {fixture.token}")
    )
    assert results[1]["etag"] == single.headers["etag"]
    assert names_in(fixture) == {1: "Moss"}


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b"{", 40001),
        (b'{"op": "merge"}', 40002),
        (b'{"id": 1, "name": "Moss"}', 40003),
        (b'{"op": "delete", "id": 3}', 40401),
        (b'{"op": "update", "id": 1, "name": "Moss", "if_match": "x"}', 41201),
        (b"x" * 70_000, 41301),
    ],
)
def test_no_atomic_change_is_applied_if_one_is_refused(
    fixture: StoreFixture, line: bytes, number: int
) -> None:
    (alone,) = read_lines(fixture.send(changes_message(fixture.token, line)).body)
    response = send(fixture, b'{"id": 2, "name": "Aloe"}\n\n%s\n%s' % (line, line))
    expect_error(response, number)
    assert response.json["message"] == f"line 3: {alone['message']}"
    assert response.headers["refused-line"] == "3"
    assert names_in(fixture) == {1: "Fern"}


def test_the_quota_applies_to_all_atomic_changes_together(fixture: StoreFixture) -> None:
    with fixture.service.administration() as administration:
        administration.set_quota(fixture.store, 3)
    response = send(fixture, plant_lines((2, 3, 4)))
    expect_error(response, 40302)
    assert response.json["message"].startswith("line 3: the store is full")
    assert send(fixture, b'{"op": "delete", "id": 1}\n' + plant_lines((2, 3, 4))).status == 200


def test_at_most_a_thousand_atomic_changes_are_allowed(fixture: StoreFixture) -> None:
    expect_error(send(fixture, plant_lines(range(2, 1003))), 40014)
    assert names_in(fixture) == {1: "Fern"}
    assert len(read_lines(send(fixture, plant_lines(range(2, 1002))).body)) == 1000
    assert (response := send(fixture, b"\n", "key")).status == 200
    assert response.body == b""


def test_atomic_changes_count_as_unsent_bytes_until_the_response(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"max_unsent_bytes": 2**17}) as service:
        fixture = make_fixture(service)
        for _ in range(2):
            long = b"".join(plant_line(number, "F" * 100) for number in range(2, 600))
            expect_error(send(fixture, long), 50301)
        assert send(fixture, plant_lines(range(2, 500))).status == 200


def test_a_repeated_idempotency_key_replays_the_response(fixture: StoreFixture) -> None:
    expect_error(send(fixture, BODY, "x" * 256), 40010)
    expect_error(send(fixture, b'{"op": "delete", "id": 3}', "key"), 40401)
    first, again = send(fixture, BODY, "key"), send(fixture, BODY, "key")
    assert (first.status, again.status) == (200, 200)
    assert first.body == again.body
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    expect_error(send(fixture, plant_lines((5,)), "key"), 42201)
    assert names_in(fixture) == {1: "Moss"}


def test_an_incomplete_body_changes_nothing(fixture: StoreFixture) -> None:
    message = atomic(fixture, plant_lines(range(2, 500)))
    for cut in (1, 100, len(message.body) - 1):
        with Connection(fixture.service.origin) as connection:
            connection.send(message.head(), message.body[:cut])
            connection.finish_sending()
            connection.read_to_end()
    assert names_in(fixture) == {1: "Fern"}


def test_a_token_revoked_before_the_body_changes_nothing(fixture: StoreFixture) -> None:
    message = atomic(fixture, BODY)
    with Connection(fixture.service.origin) as connection:
        connection.send(message.with_header("Expect", "100-continue").head())
        assert connection.receive().status == 100
        fixture.service.revoke(fixture.token)
        connection.send(message.body)
        expect_error(connection.receive("POST"), 40102)
    assert len(fixture.service.events(fixture.store)) == 1
