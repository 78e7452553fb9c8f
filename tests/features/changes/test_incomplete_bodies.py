"""Incomplete and repeated bodies of ``/changes``: no line is stored in part, or lost."""

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest

from tests.features.changes.client import (
    Result,
    changes_message,
    list_ids,
    numbers_of,
    plant_lines,
    read_lines,
)
from tests.http.fixtures import StoreFixture
from tests.http.raw import Connection, Message

CHUNK = 50


def frame(fixture: StoreFixture, body: bytes, *, chunked: bool) -> tuple[Message, bytes]:
    """A request with the body in one of the framings: its message, and the framed body."""
    message = changes_message(fixture.token)
    if not chunked:
        return message.with_header("Content-Length", str(len(body))), body
    chunks = [body[start : start + CHUNK] for start in range(0, len(body), CHUNK)]
    framed = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return message.with_header("Transfer-Encoding", "chunked"), framed + b"0\r\n\r\n"


def read_complete_results(connection: Connection) -> list[Result]:
    """The complete results that a client receives before its connection ends."""
    received = b""
    with suppress(ConnectionError):
        while part := connection.read_some(2**16):
            received += part
    lines = [line for line in received.split(b"\n") if line.startswith(b'{"line"')]
    return read_lines(b"\n".join(line for line in lines if line.endswith(b"}")))


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_cut_at_any_byte_is_stored_in_whole_lines(
    fixture: StoreFixture, *, chunked: bool
) -> None:
    """The stored plants are the body's first lines, at least those that have a result."""
    lines, first = 30, 2
    size = len(frame(fixture, plant_lines(range(100, 100 + lines)), chunked=chunked)[1])
    between = random.Random(size).sample(range(2, size - 1), 25)  # noqa: S311 - no secrets
    for number, cut in enumerate((0, 1, size - 1, *between)):
        first = 100 + number * lines
        ids = range(first, first + lines)
        message, body = frame(fixture, plant_lines(ids), chunked=chunked)
        with Connection(fixture.service.origin) as connection:
            connection.send(message.head(), body[:cut])
            if number % 2:
                connection.finish_sending()
                *results, (_, last_error) = numbers_of(read_complete_results(connection))
                assert last_error == 40011  # the body is incomplete
            else:
                results = []
                connection.reset()
        stored = [
            plant_id for plant_id in list_ids(fixture.service, fixture.token) if plant_id >= first
        ]
        assert stored == list(ids)[: len(stored)]
        assert results == [(line, 200) for line in range(1, len(results) + 1)]
        assert len(results) <= len(stored) <= body[:cut].count(b"}")


def test_after_a_cut_the_whole_body_can_be_sent_again(fixture: StoreFixture) -> None:
    ids = range(2, 3000)
    message, body = frame(fixture, plant_lines(ids), chunked=False)
    with Connection(fixture.service.origin) as connection:
        connection.send(message.head(), body[: len(body) // 2])
        assert connection.receive_head().status == 200
        assert connection.read_chunk()
        connection.reset()
    results = numbers_of(read_lines(fixture.send(changes_message(fixture.token, body)).body))
    errors = [error for _, error in results]
    stored = errors.count(40004)
    assert stored
    assert errors == stored * [40004] + (len(ids) - stored) * [200]
    assert list_ids(fixture.service, fixture.token) == [1, *ids]


def test_concurrent_bodies_with_the_same_ids_store_each_once(fixture: StoreFixture) -> None:
    ids = range(2, 1500)
    chance = random.Random(5)  # noqa: S311 - no secrets
    orders = [chance.sample(ids, len(ids)) for _ in range(2)]
    with Connection(fixture.service.origin) as first, Connection(fixture.service.origin) as second:
        for connection, order in zip((first, second), orders, strict=True):
            connection.send(changes_message(fixture.token, plant_lines(order)))
        results = [
            *read_results(first, orders[0]),
            *read_results(second, orders[1]),
        ]
    assert sorted(results) == [(plant_id, error) for plant_id in ids for error in (200, 40004)]
    assert list_ids(fixture.service, fixture.token) == [1, *ids]


def read_results(connection: Connection, order: Sequence[int]) -> Iterator[tuple[int, int]]:
    results = numbers_of(read_lines(connection.receive("POST").body))
    for plant_id, (_, error) in zip(order, results, strict=True):
        yield plant_id, error
