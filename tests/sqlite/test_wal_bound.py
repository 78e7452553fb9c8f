"""Slow long lists do not let the WAL grow without limit."""

from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
import pytest

from plantstore.sqlite.connection import database_path
from plantstore.sqlite.data_version import DataVersion
from tests.http.blocking import FILLER, fill_store, in_flight_stream
from tests.http.calls import create_plant
from tests.http.fixtures import LISTS, make_fixture
from tests.service import Service

COUNT = 5000
BOUND = 4 * 2**20
MAX_WRITES = 20_000
WARNING = "aborted a long list"


def write_until(client: httpx.Client, condition: Callable[[], bool]) -> None:
    for number in range(MAX_WRITES):
        if condition():
            return
        create_plant(client, 10**6 + number, "x" * 200)
        client.delete(f"/plants/{10**6 + number}")
    pytest.fail("the condition never became true")


def test_slow_lists_are_aborted_when_the_wal_exceeds_max_wal_size(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"max_wal_size": BOUND}) as own:
        fixture = make_fixture(own)
        other = make_fixture(own)
        fill_store(own, fixture.store, COUNT, 250, FILLER)
        version = DataVersion(database_path(own.database))
        with closing(version), own.client(fixture.token) as client, ExitStack() as stack:
            write_until(client, lambda: version.count_wal_bytes() < BOUND)
            slow_ones = [stack.enter_context(in_flight_stream(fixture)) for _ in range(2)]
            fill_store(own, other.store, COUNT, 250, FILLER)
            assert version.count_wal_bytes() > BOUND
            write_until(client, lambda: version.count_wal_bytes() < BOUND)
            for slow in slow_ones:
                with suppress(ConnectionResetError):
                    assert not slow.read_to_end().endswith(b"]\r\n0\r\n\r\n")
            assert own.log().count(WARNING) == own.log().count("WARNING") == len(slow_ones)
            assert own.log().count("Traceback") == own.log().count("a read failed") == 0
            assert len(fixture.send(fixture.message(LISTS[0])).json) >= COUNT
