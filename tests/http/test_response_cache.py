"""Remembered responses: bounded in bytes, given again only while nothing changed."""

from msgspec import structs

from plantstore.http.response_cache import ResponseCache
from plantstore.model import Caller, Role, Scope
from plantstore.server.messages import Response

SIZE = 100_000
RESPONSE = Response(b"HTTP/1.1 200 OK\r\n", b"x" * 1000)
CALLER = Caller(1, bytes(32), 1, "", None, 1, Role.OWNER, frozenset(Scope), 7, (1, 1), lambda: True)


def test_the_longest_unused_go_first() -> None:
    cache = ResponseCache(SIZE)
    for number in range(200):
        cache.put((1, 7, b"after=%d" % number), RESPONSE)
        assert cache.get((1, 7, b"after=0")) is RESPONSE
    assert cache.get((1, 7, b"after=1")) is None
    assert cache.get((1, 7, b"after=199")) is RESPONSE


def test_a_request_is_found_with_its_headers_until_something_is_committed() -> None:
    cache = ResponseCache(SIZE)
    cache.remember(b"request", RESPONSE, CALLER, b"Vary: Origin\r\n")
    found = cache.requests.get(b"request")
    assert found is not None
    assert (found.caller, found.response) == (CALLER, RESPONSE)
    assert found.whole == RESPONSE.with_headers(b"Vary: Origin\r\n")
    cache.remember(b"another", RESPONSE, structs.replace(CALLER, unchanged=lambda: True))
    assert cache.requests.get(b"request") is None


def test_requests_and_responses_share_one_bound() -> None:
    cache = ResponseCache(SIZE)
    cache.put((1, 7, b""), RESPONSE)
    for number in range(1000):
        cache.remember(b"%d" % number, RESPONSE, CALLER)
    recalled = sum(cache.requests.get(b"%d" % number) is not None for number in range(1000))
    assert 0 < recalled < SIZE / 1000
    assert cache.get((1, 7, b"")) is RESPONSE


def test_a_request_remembered_again_takes_its_bytes_once() -> None:
    cache = ResponseCache(SIZE)
    for _ in range(2):
        used = cache.used
        cache.remember(b"request", RESPONSE, CALLER)
    assert cache.used == used > 0


def test_a_request_forgotten_gives_its_bytes_back() -> None:
    cache = ResponseCache(SIZE)
    cache.put((1, 7, b""), RESPONSE)
    used = cache.used
    longer = RESPONSE.with_headers(b"Link: <?>\r\n")
    for response in (RESPONSE, longer, RESPONSE):
        cache.remember(b"request", response, CALLER)
    cache.forget(b"request")
    cache.forget(b"another")
    assert cache.requests.get(b"request") is None
    assert cache.used == used


def test_what_is_too_large_is_not_kept() -> None:
    cache = ResponseCache(SIZE)
    cache.put((1, 7, b""), Response(b"head", b"x" * SIZE))
    cache.remember(b"x" * 5000, RESPONSE, CALLER)
    assert cache.get((1, 7, b"")) is None
    assert cache.requests.get(b"x" * 5000) is None


def test_without_memory_nothing_is_kept() -> None:
    cache = ResponseCache(0)
    cache.put((1, 7, b""), RESPONSE)
    cache.remember(b"request", RESPONSE, CALLER)
    assert (cache.get((1, 7, b"")), cache.requests.get(b"request")) == (None, None)
