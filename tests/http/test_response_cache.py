"""Remembered responses: bounded in bytes, given again only while nothing changed."""

from plantstore.http.response_cache import ResponseCache
from plantstore.model import Caller, Role, Scope, Unchanged
from plantstore.server.messages import Response

SIZE = 100_000
RESPONSE = Response(b"HTTP/1.1 200 OK\r\n", b"x" * 1000)


def caller(unchanged: Unchanged | None, expires_at: int | None = None) -> Caller:
    return Caller(1, bytes(32), 1, "", expires_at, 1, Role.OWNER, frozenset(Scope), 7, unchanged)


def test_the_longest_unused_go_first() -> None:
    cache = ResponseCache(SIZE)
    for number in range(200):
        cache.put((1, 7, b"after=%d" % number), RESPONSE)
        assert cache.get((1, 7, b"after=0")) is RESPONSE
    assert cache.get((1, 7, b"after=1")) is None
    assert cache.get((1, 7, b"after=199")) is RESPONSE


def test_a_response_is_that_of_its_store_revision_and_query() -> None:
    cache = ResponseCache(SIZE)
    cache.put((1, 7, b"limit=1"), RESPONSE)
    for other in ((2, 7, b"limit=1"), (1, 8, b"limit=1"), (1, 7, b"limit=2")):
        assert cache.get(other) is None


def test_a_request_is_recalled_until_something_is_committed() -> None:
    cache = ResponseCache(SIZE)
    current = {1}
    for version in (1, 2):
        current.add(version)
        owner = caller(lambda version=version: version in current)  # type: ignore[misc]
        cache.remember(b"request", RESPONSE, owner, b"Vary: Origin\r\n")
        whole = RESPONSE.with_headers(b"Vary: Origin\r\n")
        recalled = cache.recall(b"request")
        assert recalled is not None
        assert (recalled.caller, recalled.response, recalled.whole) == (owner, RESPONSE, whole)
        current.clear()
        assert cache.recall(b"request") is None


def test_a_request_is_not_remembered_where_nobody_knows_whether_it_is_right() -> None:
    cache = ResponseCache(SIZE)
    cache.remember(b"request", RESPONSE, caller(None))
    cache.remember(b"request", RESPONSE, caller(lambda: False))
    assert cache.recall(b"request") is None


def test_an_expired_caller_is_not_recalled() -> None:
    cache = ResponseCache(SIZE)
    cache.remember(b"request", RESPONSE, caller(lambda: True, expires_at=1))
    assert cache.recall(b"request") is None


def unchanged() -> bool:
    return True


def test_requests_and_responses_share_one_bound() -> None:
    cache = ResponseCache(SIZE)
    cache.put((1, 7, b""), RESPONSE)
    for number in range(1000):
        cache.remember(b"%d" % number, RESPONSE, caller(unchanged))
    recalled = sum(cache.recall(b"%d" % number) is not None for number in range(1000))
    assert 0 < recalled < SIZE / 1000
    assert cache.get((1, 7, b"")) is RESPONSE


def test_what_is_too_large_is_not_kept() -> None:
    cache = ResponseCache(SIZE)
    cache.put((1, 7, b""), Response(b"head", b"x" * SIZE))
    cache.remember(b"x" * 5000, RESPONSE, caller(unchanged))
    assert cache.get((1, 7, b"")) is None
    assert cache.recall(b"x" * 5000) is None


def test_without_memory_nothing_is_kept() -> None:
    cache = ResponseCache(0)
    cache.put((1, 7, b""), RESPONSE)
    cache.remember(b"request", RESPONSE, caller(unchanged))
    assert (cache.get((1, 7, b"")), cache.recall(b"request")) == (None, None)
