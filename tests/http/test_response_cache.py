"""The response cache is bounded in bytes, which stores share."""

import time

import pytest

from plantstore.core.model import Caller, Role, Scope
from plantstore.http.cors import Cors
from plantstore.http.response_cache import ResponseCache
from plantstore.server.messages import Request, Response

SIZE = 100_000
CORS = Cors(("*",))
RESPONSE = Response(b"HTTP/1.1 200 OK\r\n", b"x" * 1000)
CALLER = Caller(1, bytes(32), 1, "", None, 1, Role.OWNER, frozenset(Scope), 7, (1, 1), lambda: True)


def get(raw: bytes) -> Request:
    return Request(b"id", "GET", {}, raw=raw)


def put_many(cache: ResponseCache, store_id: int, count: int = 200) -> None:
    for number in range(count):
        cache.put((store_id, 7, b"after=%d" % number), RESPONSE)


def test_a_store_beyond_its_share_evicts_its_own_oldest_responses() -> None:
    cache = ResponseCache(SIZE, CORS)
    cache.put((1, 7, b""), RESPONSE)
    put_many(cache, 2)
    put_many(cache, 3)
    assert cache.get((1, 7, b"")) is RESPONSE
    assert cache.get((2, 7, b"after=0")) is None
    assert cache.get((2, 7, b"after=199")) is RESPONSE
    assert 0.5 * SIZE < cache.used < SIZE


def test_a_response_at_a_newer_revision_takes_the_place_of_the_older() -> None:
    cache = ResponseCache(SIZE, CORS)
    for revision in range(200):
        cache.put((1, revision, b""), RESPONSE)
    assert cache.get((1, 199, b"")) is RESPONSE
    assert cache.get((1, 198, b"")) is None
    assert cache.used < 0.1 * SIZE


def test_old_responses_of_other_stores_give_way_first(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ResponseCache(SIZE, CORS)
    put_many(cache, 1)
    later = time.monotonic() + 61
    monkeypatch.setattr(time, "monotonic", lambda: later)
    put_many(cache, 2)
    assert cache.get((1, 7, b"after=199")) is None
    assert cache.get((2, 7, b"after=199")) is RESPONSE


def test_requests_are_evicted_together_and_keep_the_responses() -> None:
    cache = ResponseCache(SIZE, CORS)
    cache.put((1, 7, b""), RESPONSE)
    for number in range(1000):
        cache.put_request(get(b"%d" % number), RESPONSE, CALLER)
    cached = sum(cache.requests.get(b"%d" % number) is not None for number in range(1000))
    assert 0 < cached < SIZE / 1000
    assert cache.get((1, 7, b"")) is RESPONSE


def test_evicted_responses_are_not_held_by_requests() -> None:
    cache = ResponseCache(SIZE, CORS)
    cache.put_request(get(b"request"), RESPONSE, CALLER)
    put_many(cache, 1)
    assert not cache.requests


def test_a_request_cached_twice_is_counted_once() -> None:
    cache = ResponseCache(SIZE, CORS)
    for _ in range(2):
        used = cache.used
        cache.put_request(get(b"request"), RESPONSE, CALLER)
    assert cache.used == used > 0


@pytest.mark.parametrize(("size", "length"), [(SIZE, SIZE), (0, 1)])
def test_entries_that_are_too_large_are_not_cached(size: int, length: int) -> None:
    cache = ResponseCache(size, CORS)
    cache.put((1, 7, b""), Response(b"head", b"x" * length))
    cache.put_request(get(b"x" * 5000), RESPONSE, CALLER)
    assert cache.get((1, 7, b"")) is None
    assert not cache.requests
