"""Deleting a store that a transaction has locked: it waits for the transaction, or times out."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from plantstore.core.errors import SetupError
from plantstore.core.model import Grant
from plantstore.postgres import session
from plantstore.sql.queries import load_queries
from tests.features.access.administration import open_administration
from tests.postgres.server import PostgresServer
from tests.postgres.test_busy_store import locked_store, wait_until_blocking


def test_deleting_a_store_includes_a_write_in_flight(
    postgres_server: PostgresServer,
) -> None:
    with (
        postgres_server.fresh() as url,
        closing(open_administration(url)) as administration,
        ThreadPoolExecutor() as pool,
    ):
        store_id = administration.create_store("busy").store_id
        with locked_store(url) as writer:
            writer.execute(
                "INSERT INTO plants (store_id, id, name) VALUES (%s, 1, 'Fern')", [store_id]
            )
            deletion = pool.submit(administration.delete_store, "busy")
            wait_until_blocking(writer)
        deletion.result()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT * FROM plants").fetchall() == []


def test_a_blocked_command_times_out_and_blocks_no_other(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Grant(subject="ada", store="busy")
    with (
        postgres_server.fresh() as url,
        closing(open_administration(url)) as patient,
        ThreadPoolExecutor() as pool,
    ):
        token = patient.create_token(request).secret
        monkeypatch.setattr(session, "load_queries", load_queries_with_short_timeout)
        with closing(open_administration(url)) as hurried, locked_store(url) as holder:
            deletion = pool.submit(hurried.delete_store, "busy")
            wait_until_blocking(holder)
            patient.revoke_token(token)
            with pytest.raises(SetupError, match="lock timeout"):
                deletion.result()
        patient.delete_store("busy")


def load_queries_with_short_timeout(*arguments: str) -> dict[str, str]:
    """The queries, with a shorter lock timeout of commands."""
    queries = load_queries(*arguments)
    hurried = queries["lock_administration"].replace("'10s'", "'500ms'")
    assert hurried != queries["lock_administration"]
    return queries | {"lock_administration": hurried}
