"""The response cache is bounded in bytes, and does not store responses that are too large."""

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


def test_the_least_recently_used_responses_are_evicted_first() -> None:
    cache = ResponseCache(SIZE, CORS)
    for number in range(200):
        cache.put((1, 7, b"after=%d" % number), RESPONSE)
        assert cache.get((1, 7, b"after=0")) is RESPONSE
    assert cache.get((1, 7, b"after=1")) is None
    assert cache.get((1, 7, b"after=199")) is RESPONSE


def test_requests_and_responses_share_one_limit() -> None:
    cache = ResponseCache(SIZE, CORS)
    cache.put((1, 7, b""), RESPONSE)
    for number in range(1000):
        cache.put_request(get(b"%d" % number), RESPONSE, CALLER)
    cached = sum(cache.requests.get(b"%d" % number) is not None for number in range(1000))
    assert 0 < cached < SIZE / 1000
    assert cache.get((1, 7, b"")) is RESPONSE


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
