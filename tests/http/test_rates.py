"""Rate limits: a burst, then a steady rate, for each key, in bounded memory."""

from types import SimpleNamespace

import pytest

from plantstore.http import rates as rates_module
from plantstore.http.rates import Rates
from tests.clock import Clock
from tests.databases import ON_BOTH
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import LISTS, make_fixture
from tests.http.raw import Connection


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rates_module, "time", SimpleNamespace(monotonic=clock))
    return clock


def test_a_burst_passes_and_then_the_rate_per_period(clock: Clock) -> None:
    rates = Rates(6, 60)
    assert [rates.take("ada") for _ in range(8)] == [0, 0, 0, 0, 0, 0, 10, 10]
    clock.now += 9.5
    assert rates.check("ada") == rates.take("ada") == 1
    clock.now += 0.5
    assert (rates.check("ada"), rates.take("ada"), rates.take("ada")) == (0, 0, 10)
    clock.now += 1000
    assert [rates.take("ada") for _ in range(7)] == [0, 0, 0, 0, 0, 0, 10]


def test_a_retry_after_the_returned_wait_passes(clock: Clock) -> None:
    for count, seconds in ((1, 1), (3, 1), (7, 60), (50, 1), (11, 3600)):
        rates = Rates(count, seconds)
        for _ in range(200):
            clock.now += (wait := rates.take("ada"))
            assert not wait or rates.take("ada") == 0


@pytest.mark.usefixtures("clock")
def test_each_key_has_its_own_rate() -> None:
    rates = Rates(1, 60)
    assert (rates.take("ada"), rates.take("ben"), rates.take("ada")) == (0, 0, 60)


def test_memory_is_bounded_and_keeps_the_keys_with_the_longest_wait(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates_module, "_MAX_KEYS", 10)
    rates = Rates(2, 1000)
    rates.take("ada")
    rates.take("ada")
    for number in range(1000):
        clock.now += 1
        rates.take(number)
        assert sum(key in rates for key in ("ada", *range(number + 1))) <= 10
        if number < 490:  # she must still wait
            assert rates.check("ada")


@ON_BOTH
def test_cached_lists_count_towards_the_rate_and_are_refused(start: StartService) -> None:
    limited = start(rate_limit="20/hour")
    fixture, other = make_fixture(limited), make_fixture(limited)
    listing = fixture.message(LISTS[0]).with_header("Origin", "https://a.example")
    with Connection(limited.origin) as connection:
        responses = [connection.request(listing) for _ in range(21)]
        # The fixture's create was the first call.
        assert [response.status for response in responses] == 19 * [200] + 2 * [429]
        for refused in responses[19:]:
            expect_error(refused, 42901)
            assert 120 < int(refused.headers["retry-after"]) <= 180
            assert refused.headers["access-control-allow-origin"] == "*"
        assert connection.request(other.message(LISTS[0])).status == 200


def test_a_users_tokens_for_different_stores_have_separate_rates(start: StartService) -> None:
    limited = start(rate_limit="3/hour")
    own, other = (limited.make_token(store, "ada") for store in ("nursery", "orchard"))
    with limited.client(other) as client:
        statuses = [client.get(path).status_code for path in ("/plants", "/me", "/plants", "/me")]
        assert statuses == [200, 200, 200, 429]
    with limited.client(own) as client:
        assert client.get("/plants").status_code == client.get("/me").status_code == 200
