"""Each statement of a request reads one shard: Citus sends it whole to the shard's server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from msgspec.structs import astuple

import plantstore
from plantstore.core.model import INT64_MIN
from plantstore.features.events.reading import ARRAY
from plantstore.sql.queries import load_queries
from tests.plans.cases import PAGE, write
from tests.postgres.citus import CitusCluster

QUERIES = load_queries("plantstore.postgres", "citus")
STORE, HASH = 7, bytes(32)
SERVING: dict[str, tuple[object, ...]] = {
    "find_callers": ([STORE], [HASH, HASH]),
    "find_plant": (STORE, 1),
    "find_counts": (STORE,),
    "read_page": (STORE, INT64_MIN, PAGE, True),
    "read_page_of_tags": (STORE, INT64_MIN, PAGE, True, '["common"]', True),
    "find_last_of_limit": (STORE, INT64_MIN, PAGE),
    "find_last_of_limit_and_tags": (STORE, INT64_MIN, PAGE, '["common"]'),
    "read_events": (STORE, 0, PAGE, True, *astuple(ARRAY)),
    "read_tags": (STORE, "", PAGE),
    "write_batch": (STORE, json.dumps([write(STORE, 1)]), 1, "1s"),
    "find_code": (STORE, HASH, 0),
    "list_deliveries": (STORE, "w"),
    "find_webhooks": (STORE, None),
    "list_members": (STORE, None),
    "list_valid_tokens": (STORE, 0),
}
LOCAL = {"find_read_only", "begin_snapshot", "end_snapshot", "plan_lookups"}
LOCAL |= {"begin_migration", "record_migration", "find_compatible_since"}
# Functions in which each statement names one store: see ``test_queries``.
OF_MANY_STORES = {"find_callers_in_stores", "record_token_uses"}
# Queries across all stores, and the lookup of an all-stores token.
OF_ALL_STORES = {"count_all", "find_links", "find_token_info", "find_store_of_token"}
OF_ALL_STORES |= {"find_due_webhooks", "read_status"}  # now and then
_USE = re.compile(r'"([a-z_]+)"')
_READ = re.compile(r'atabase\.read\("([a-z_]+)"')


@pytest.fixture
def connection(postgres_server: CitusCluster) -> Iterator[psycopg.Connection]:
    """A connection to a migrated database, which these tests do not change."""
    with (
        postgres_server.emptied() as url,
        psycopg.connect(url, autocommit=True, cursor_factory=psycopg.RawCursor) as connection,
    ):
        yield connection


@pytest.mark.parametrize("name", SERVING)
def test_each_serving_statement_reads_one_shard(connection: psycopg.Connection, name: str) -> None:
    explain = f"EXPLAIN {QUERIES[name]}"
    rows = connection.execute(explain.encode(), SERVING[name]).fetchall()
    assert [line.strip() for (line,) in rows if "Task Count" in line] == ["Task Count: 1"]
    assert not any("Subplan" in line for (line,) in rows)


def test_the_listed_statements_are_those_of_the_code() -> None:
    source = Path(plantstore.__file__).parent
    modules = [module for module in source.glob("postgres/*.py") if module.name != "session.py"]
    used = find_uses(_USE, *modules, source / "sql" / "reading.py")
    used |= find_uses(_READ, *source.rglob("features/**/*.py"), *source.glob("http/*.py"))
    assert used & QUERIES.keys() == {*SERVING, *LOCAL, *OF_MANY_STORES, *OF_ALL_STORES}


def find_uses(pattern: re.Pattern[str], *modules: Path) -> set[str]:
    return {
        name for module in modules for name in pattern.findall(module.read_text(encoding="utf-8"))
    }
