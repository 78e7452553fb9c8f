"""PostgreSQL reads no more rows than a query's result needs, whatever plan it chooses."""

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from psycopg import Connection, RawCursor, sql
from psycopg.adapt import PyFormat, Transformer

from plantstore.databases import migrate
from plantstore.sql.queries import load_queries
from tests.plans.cases import COMMON, POSTGRES, READS_NO_ROWS, Case
from tests.plans.tables import EVENT, PLANT, PLANTS, filling
from tests.postgres.server import PostgresServer

QUERIES = load_queries("plantstore.postgres")
CASES = {name: case for name, case in {**COMMON, **POSTGRES}.items() if name in QUERIES}
NOT_PLANNED = ("ANALYZE", "BEGIN", "ROLLBACK")
# Blocks, unlike rows, also count parts of an index that were read and skipped.
ROWS_OF_A_QUERY = 5  # such as the row of the store
BLOCKS_OF_A_QUERY = 100
BLOCKS_OF_A_ROW = 10
# Queries that need the settings of ``plan_lookups`` even with statistics.
PLANNED_LOOKUPS = {
    "record_token_uses",
    "delete_plants_of_store",
    "delete_events_of_store",
    "delete_keys_of_store",
}
FILLING = (
    # Plans do not need checks of references, nor logs of writes.
    "SET session_replication_role = replica",
    *(f"ALTER TABLE {table} SET UNLOGGED" for table in ("plants", "events", "idempotency_keys")),
    *(
        f"ALTER TABLE {table} SET (autovacuum_enabled = false)"
        for table in ("stores", "revisions", "users", "members", "tokens", "plants", "events")
    ),
    "CREATE FUNCTION hash_of(bigint) RETURNS bytea LANGUAGE SQL AS 'SELECT sha256(int8send($1))'",
    f"CREATE TEMPORARY TABLE numbers AS SELECT n FROM generate_series(1::bigint, {PLANTS}) AS n",
    *filling(),
    QUERIES["advance_sequences"],
    "RESET session_replication_role",
)


def test_every_query_has_a_case() -> None:
    planned = {name for name, text in QUERIES.items() if not text.startswith(NOT_PLANNED)}
    assert set(CASES) <= planned
    assert {name for name in planned if not READS_NO_ROWS.match(QUERIES[name])} <= set(CASES)
    assert set(POSTGRES) <= planned


def test_no_query_reads_more_than_its_result_needs(postgres_server: PostgresServer) -> None:
    url = postgres_server.make_database()
    migrate(url)
    with psycopg.connect(url, autocommit=True, cursor_factory=RawCursor) as connection:
        for statement in FILLING:
            connection.execute(statement.encode())
        connection.execute(QUERIES["plan_lookups"].encode())
        excess = {"without statistics": list(excesses(connection))}
        connection.execute("ANALYZE")
        excess["with statistics"] = list(excesses(connection))
        connection.execute("RESET ALL")
        excess["behind PgBouncer"] = [
            line for line in excesses(connection) if line.split()[1] not in PLANNED_LOOKUPS
        ]
    assert excess == {state: [] for state in excess}


def test_verify_reads_each_row_once_without_statistics_of_the_store(
    postgres_server: PostgresServer,
) -> None:
    url, count = postgres_server.make_database(), 2000
    migrate(url)
    with psycopg.connect(url, autocommit=True, cursor_factory=RawCursor) as connection:
        for table in ("plants", "events"):
            connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)".encode())
        for store in (1, 2):
            numbers = f"FROM generate_series(1, {count}) AS n"
            connection.execute(f"{PLANT} {store}, n, 'Fern', NULL {numbers}".encode())
            event = f"{EVENT} {store}, n, 'plant.created', n, 'Fern', n, 1, '' {numbers}"
            connection.execute(event.encode())
            if store == 1:
                connection.execute("ANALYZE")
        connection.execute(QUERIES["plan_lookups"].encode())
        for name in ("find_mismatches", "find_plants_without_event"):
            assert count_rows(run(connection, QUERIES[name], Case((2, 21), 0))) <= 3 * count


def excesses(connection: Connection) -> Iterator[str]:
    """The cases that read too much, with the amounts."""
    for mode in ("force_generic_plan", "force_custom_plan"):
        connection.execute(f"SET plan_cache_mode = {mode}".encode())
        for name, cases in CASES.items():
            for number, case in enumerate(cases):
                plan = run(connection, QUERIES[name], case)
                rows, blocks = count_rows(plan), count_blocks(plan)
                if rows > ROWS_OF_A_QUERY + case.rows or (
                    blocks > BLOCKS_OF_A_QUERY + BLOCKS_OF_A_ROW * case.rows
                ):
                    yield f"{mode} {name} {number}: {rows} rows, not {case.rows}; {blocks} blocks"


def run(connection: Connection, query: str, case: Case) -> dict[str, Any]:
    """The executed plan, with counts, of the statement, prepared as the service does."""
    transformer = Transformer(connection)
    transformer.dump_sequence(case.arguments, [PyFormat.AUTO] * len(case.arguments))
    types = ", ".join(map(to_type_name, transformer.types or ()))
    values = sql.SQL(", ").join(map(sql.Literal, case.arguments)).as_string(connection)
    arguments = f"({values})" if case.arguments else ""
    explain = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE one{arguments}"
    with connection.transaction(force_rollback=True):
        connection.execute(f"PREPARE one{f'({types})' if types else ''} AS {query}".encode())
        row = connection.execute(explain.encode()).fetchone()
    connection.execute("DEALLOCATE one")
    assert row is not None
    plan: dict[str, Any] = row[0][0]["Plan"]
    return plan


def to_type_name(oid: int) -> str:
    """The type's name; text is sent without one."""
    type_info = psycopg.adapters.types.get(oid)
    if type_info is None:
        return "unknown"
    return type_info.name if type_info.oid == oid else f"{type_info.name}[]"


def count_rows(plan: dict[str, Any]) -> int:
    below: Sequence[dict[str, Any]] = plan.get("Plans", ())
    rows = sum(map(count_rows, below))
    if "Relation Name" not in plan or not plan["Node Type"].endswith("Scan"):
        return rows
    removed = sum(value for key, value in plan.items() if key.startswith("Rows Removed by"))
    return rows + int((plan["Actual Rows"] + removed) * plan["Actual Loops"])


def count_blocks(plan: dict[str, Any]) -> int:
    blocks: int = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return blocks
