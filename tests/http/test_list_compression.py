"""Only long lists are compressed, for clients that accept a content coding."""

import gzip
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import pytest
from backports import zstd

from plantstore.http.compression import choose_coding, compress
from tests.http.blocking import FILLER, count_threads, fill_store
from tests.http.conftest import StartService
from tests.http.fixtures import LISTS, StoreFixture, make_fixture
from tests.http.raw import Connection, Message, Response
from tests.service import Service
from tests.waiting import wait_until

DECOMPRESS: Mapping[str | None, Callable[[bytes], bytes]] = {
    None: bytes,
    "gzip": gzip.decompress,
    "zstd": zstd.decompress,
}


@pytest.mark.anyio
async def test_each_part_is_compressed_in_the_lane() -> None:
    entered = list[str]()

    @asynccontextmanager
    async def lane() -> AsyncIterator[None]:
        entered.append("lane")
        yield

    async def make_parts() -> AsyncIterator[bytes]:
        for part in (b"1", b"2"):
            yield part

    compressed = [part async for part in compress(make_parts(), b"gzip", lane)]
    assert gzip.decompress(b"".join(compressed)) == b"12"
    assert entered == 2 * ["lane"]


@pytest.fixture
def full_store(service: Service) -> StoreFixture:
    fixture = make_fixture(service)
    fill_store(service, fixture.store, 3000)
    return fixture


def listing(fixture: StoreFixture, coding: str | None, target: str = "/plants") -> Message:
    message = fixture.message(LISTS[0]).with_target(target)
    return message if coding is None else message.with_header("Accept-Encoding", coding)


def read(response: Response) -> bytes:
    return DECOMPRESS[response.headers.get("content-encoding")](response.body)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_long_list_is_compressed_if_the_client_accepts_it(
    full_store: StoreFixture, coding: str
) -> None:
    message = listing(full_store, coding)
    plain, response = full_store.send(listing(full_store, None)), full_store.send(message)
    assert response.headers["content-encoding"] == coding
    assert read(response) == plain.body
    assert len(response.body) < len(plain.body) / 4
    assert (
        response.headers["vary"]
        == plain.headers["vary"]
        == "Accept, Accept-Encoding, Authorization"
    )
    assert response.headers["etag"] == f'W/{plain.headers["etag"][:-1]}-{coding}"'
    head = full_store.send(Message("HEAD", "/plants", message.headers))
    chunked = {"transfer-encoding": "chunked"}
    assert (head.stable_parts[0], head.stable_parts[1] | chunked) == response.stable_parts[:2]


def test_each_request_gets_the_coding_that_it_accepts(full_store: StoreFixture) -> None:
    """Earlier responses, on this connection or in the cache, do not matter."""
    with Connection(full_store.service.origin) as connection:
        for target, is_long in [("/plants", True), ("/plants?limit=7", False)] * 2:
            for coding in (None, "gzip", "zstd", "br", None):
                response = connection.request(listing(full_store, coding, target))
                compressed = coding if is_long and coding != "br" else None
                assert response.headers.get("content-encoding") == compressed
                assert len(json.loads(read(response))) == (3000 if is_long else 7)


def test_few_plants_with_long_names_are_cached_instead(service: Service) -> None:
    fixture = make_fixture(service)
    fill_store(service, fixture.store, 400, 250, FILLER)
    streamed, cached = (fixture.send(listing(fixture, "gzip")) for _ in range(2))
    assert "content-length" not in streamed.headers
    assert int(cached.headers["content-length"]) == len(cached.body) > 400_000
    assert cached.body == streamed.body
    assert len(streamed.json) == 400


def test_a_304_is_sent_only_for_an_etag_in_an_accepted_coding(
    full_store: StoreFixture,
) -> None:
    codings = (None, "gzip", "zstd")
    with Connection(full_store.service.origin) as connection:
        tags = {it: connection.request(listing(full_store, it)).headers["etag"] for it in codings}
        for _ in range(2):  # also from the cache
            for coding in codings:
                for known, etag in tags.items():
                    message = listing(full_store, coding).with_header("If-None-Match", etag)
                    response = connection.request(message)
                    is_known = known in {None, coding}
                    assert response.status == (304 if is_known else 200)
                    assert response.headers["etag"] == (etag if is_known else tags[coding])


def test_a_disconnect_during_compression_leaves_no_thread(start: StartService) -> None:
    own = start(max_streams=1)
    fixture = make_fixture(own)
    fill_store(own, fixture.store, 20_000, 250, FILLER)
    whole = listing(fixture, "gzip")
    size = len(read(fixture.send(listing(fixture, None))))
    before = count_threads(own)
    for _ in range(10):
        with Connection(own.origin, receive_buffer=4096) as slow:
            slow.send(whole)
            assert slow.receive_head().headers["content-encoding"] == "gzip"
    wait_until(lambda: len(read(fixture.send(whole))) == size)
    assert count_threads(own) < before + 10
    assert "its client has gone" in own.log()
    assert "Traceback" not in own.log()


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip", "gzip"),
        ("GZip;q=0.1", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.5, gzip;q=0.6", "gzip"),
        ("gzip;q=1.0,deflate;q=0.6,identity;q=0.3", "gzip"),
        ("identity, gzip;q=0.5", None),
        ("gzip;q=0, zstd;q=0", None),
        ("*", None),
        ("deflate, br", None),
        ("", None),
    ],
)
def test_the_coding_is_chosen_by_accept_encoding(accepted: str, coding: str | None) -> None:
    chosen = choose_coding(accepted.encode())
    assert (None if chosen is None else chosen.decode()) == coding
