"""Changes of a store that waits for the database do not delay the changes of other stores."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.features.changes.client import numbers_of, read_lines
from tests.postgres.server import PostgresServer
from tests.postgres.test_busy_store import locked_store, wait_until_blocking
from tests.service import Service


@pytest.mark.parametrize("query", ["", "?atomic=true"])
def test_changes_do_not_wait_for_those_of_a_locked_store(
    query: str, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    def change(token: str) -> bytes:
        with service.client(token) as client:
            headers = {"Content-Type": "application/x-ndjson"}
            line = b'{"op":"create","id":1,"name":"Fern"}\n'
            return client.post(f"/changes{query}", content=line, headers=headers).content

    with (
        postgres_server.fresh() as url,
        Service(tmp_path, database=url) as service,
        ThreadPoolExecutor() as pool,
    ):
        busy, free = map(service.make_token, ("busy", "free"))
        with locked_store(url) as holder:
            waiting = pool.submit(change, busy)
            wait_until_blocking(holder)
            assert numbers_of(read_lines(change(free))) == [(1, 200)]
            assert not waiting.done()
        assert numbers_of(read_lines(waiting.result())) == [(1, 200)]
