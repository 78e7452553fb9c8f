"""Each statement of the serving path is of one shard: Citus hands it to its server as a whole."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import plantstore.postgres
import plantstore.sql.reading
from plantstore.model import INT64_MIN
from plantstore.postgres.citus.distributing import citus_queries
from tests.plans.cases import PAGE, write
from tests.postgres.citus import CitusCluster

STORE, HASH = 7, bytes(32)
SERVING: dict[str, tuple[object, ...]] = {
    "find_callers": (STORE, HASH),
    "find_token_of_key": (STORE, HASH),
    "find_revision_and_role": (STORE, 1),
    "find_plant": (STORE, 1),
    "find_revision": (STORE,),
    "find_counts": (STORE,),
    "read_page": (STORE, INT64_MIN, PAGE, True),
    "read_page_of_tag": (STORE, INT64_MIN, PAGE, True, "common"),
    "find_last_of_limit": (STORE, INT64_MIN, PAGE),
    "find_last_of_limit_and_tag": (STORE, INT64_MIN, PAGE, "common"),
    "read_events": (STORE, 0, PAGE),
    "write_batch": (STORE, json.dumps([write(STORE, 1)]), 1, 0, "1s"),
    "trim_events": (STORE, 1, PAGE),
    "note_token_use": (STORE, HASH, 1),
}
LOCAL = {"find_store_ids", "find_read_only", "begin_snapshot", "end_snapshot"}
# Beside the requests, of all stores; and what a token for all stores opens.
OF_ALL_STORES = {"find_oldest_event", "delete_old_keys", "count_all", "find_token_info"}
_OF_PLAIN_TABLES = {"find_callers_of_named_stores", "find_callers_again", "note_token_uses"}
_USE = re.compile(r'"([a-z_]+)"')


@pytest.fixture
def connection(postgres_server: CitusCluster) -> Iterator[psycopg.Connection]:
    """A connection to a database with the schema, which no test of these changes."""
    with (
        postgres_server.emptied() as url,
        psycopg.connect(url, autocommit=True, cursor_factory=psycopg.RawCursor) as opened,
    ):
        yield opened


@pytest.mark.parametrize("name", SERVING)
def test_a_statement_is_of_one_shard(connection: psycopg.Connection, name: str) -> None:
    explain = f"EXPLAIN {citus_queries()[name]}"
    rows = connection.execute(explain.encode(), SERVING[name]).fetchall()
    assert [line.strip() for (line,) in rows if "Task Count" in line] == ["Task Count: 1"]
    assert not any("Subplan" in line for (line,) in rows)


def test_these_are_the_statements_of_serving() -> None:
    folder = Path(plantstore.postgres.__file__).parent
    modules = [path for path in folder.rglob("*.py") if path.name != "session.py"]
    modules.append(Path(plantstore.sql.reading.__file__))
    used = {name for path in modules for name in _USE.findall(path.read_text(encoding="utf-8"))}
    expected = {*SERVING, *LOCAL, *OF_ALL_STORES, *_OF_PLAIN_TABLES, "plan_lookups"}
    assert used & citus_queries().keys() == expected
