"""The rate limit on invalid tokens, for each address; valid tokens are not affected."""

from contextlib import closing

import pytest

from plantstore.core.errors import InvalidTokenError, RequestError
from plantstore.core.tokens import make_token
from plantstore.http.rates import InvalidTokens
from plantstore.sqlite.connection import connect, database_path
from tests.databases import ON_BOTH, execute
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import LISTS, ME, make_fixture
from tests.http.raw import Connection, Message
from tests.service import Service

COUNT = 5
MALFORMED = [f"pst_1_{number:049}" for number in range(50)]
REPEATED = make_token(1)


def listing(token: str) -> Message:
    return Message("GET", "/plants").with_token(token)


def numbers(connection: Connection, tokens: list[str]) -> list[int]:
    return [connection.request(listing(token)).number for token in tokens]


@pytest.fixture
def limited(start: StartService) -> Service:
    return start(invalid_token_rate=f"{COUNT}/hour")


def test_a_repeated_invalid_token_is_rate_limited(limited: Service) -> None:
    with Connection(limited.origin) as connection:
        assert numbers(connection, 7 * [REPEATED]) == COUNT * [40102] + 2 * [42901]
        refused = connection.request(listing(REPEATED))
        expect_error(refused, 42901)
        assert 600 < int(refused.headers["retry-after"]) <= 720
        assert connection.request(Message("GET", ME[0].path).with_token(REPEATED)).number == 42901


def test_different_invalid_tokens_are_rate_limited_together(limited: Service) -> None:
    guesses = [make_token(1) for _ in range(4)]
    with Connection(limited.origin) as connection:
        assert numbers(connection, MALFORMED[:3] + guesses) == COUNT * [40102] + 2 * [42901]


def test_valid_tokens_work_while_invalid_ones_are_limited(limited: Service) -> None:
    known = limited.make_token()
    with Connection(limited.origin) as connection:
        assert connection.request(listing(known)).status == 200
        numbers(connection, [*MALFORMED, *(make_token(1) for _ in range(20)), *(20 * [REPEATED])])
        for token in (known, limited.make_token(), make_fixture(limited).token):
            assert connection.request(listing(token)).status == 200


def test_other_tokens_get_401_while_a_repeated_one_is_limited(limited: Service) -> None:
    revoked = [limited.make_token() for _ in range(2 * COUNT)]
    with Connection(limited.origin) as connection:
        numbers(connection, 20 * [REPEATED])
        assert numbers(connection, [make_token(1)]) == [40102]
        for token in revoked:  # none of them is a guess
            assert connection.request(listing(token)).status == 200
            limited.revoke(token)
            assert numbers(connection, [token]) == [40102]


def test_the_database_is_not_queried_over_the_limit(limited: Service) -> None:
    with (
        Connection(limited.origin) as connection,
        closing(connect(database_path(limited.database))) as database,
    ):
        numbers(connection, COUNT * [REPEATED] + MALFORMED[:COUNT])
        database.execute("ALTER TABLE tokens RENAME TO lost")
        assert connection.request(listing(make_token(1))).status == 503
        assert numbers(connection, [REPEATED, *MALFORMED[COUNT:]]) == 46 * [42901]


@ON_BOTH
def test_a_cached_list_does_not_query_the_database_over_the_limit(limited: Service) -> None:
    fixture = make_fixture(limited)
    with Connection(limited.origin) as connection:
        for _ in range(3):
            assert connection.request(fixture.message(LISTS[0])).status == 200
        limited.revoke(fixture.token)
        assert numbers(connection, COUNT * [fixture.token]) == COUNT * [40102]
        execute(limited.database, "ALTER TABLE tokens RENAME TO lost")
        assert connection.request(fixture.message(LISTS[0])).number == 42901


def is_refused(tokens: InvalidTokens, address: str, token: str) -> bool:
    """Whether a malformed token is over the limit."""
    with pytest.raises((InvalidTokenError, RequestError)) as raised:
        tokens.check(address, token)
    return isinstance(raised.value, RequestError)


@pytest.mark.parametrize(
    ("address", "same", "other"),
    [
        ("10.0.0.1", "10.0.0.1", "10.0.0.2"),
        ("2001:db8::1", "2001:db8:0:0:ffff::2", "2001:db8:0:1::1"),
        ("fe80::1%eth0", "fe80::2", "fe80:1::1"),
        ("", "", "10.0.0.1"),
    ],
)
def test_each_network_has_its_own_limit(address: str, same: str, other: str) -> None:
    tokens = InvalidTokens(COUNT, 3600)
    guesses = iter(MALFORMED)
    assert [is_refused(tokens, address, next(guesses)) for _ in range(6)] == 5 * [False] + [True]
    assert is_refused(tokens, same, next(guesses))
    assert not is_refused(tokens, other, next(guesses))
