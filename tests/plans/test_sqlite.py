"""SQLite takes no more steps than a query's result needs."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from plantstore.sql.queries import load_queries
from plantstore.sqlite.connection import connect, migrate
from tests.plans.cases import COMMON, READS_NO_ROWS, SQLITE, Case
from tests.plans.tables import PLANTS, filling, hash_of

# Queries of each write: a temporary table would cost more than the write itself.
WRITE_QUERIES = ("insert_plant", "update_plant", "delete_plant", "find_plant", "insert_event")
QUERIES = load_queries("plantstore.sqlite")
CASES = {name: case for name, case in {**COMMON, **SQLITE}.items() if name in QUERIES}
# Steps of SQLite's virtual machine: reading a row takes about ten.
STEPS_OF_A_QUERY = 300
STEPS_OF_A_ROW = 40
_COUNTED = f"SELECT 1 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < {PLANTS}"
FILLING = (
    f"CREATE TEMP TABLE numbers AS WITH RECURSIVE counted AS ({_COUNTED}) SELECT n FROM counted",
    "PRAGMA foreign_keys = OFF",
    "BEGIN",
    *filling(),
    "COMMIT",
    "PRAGMA foreign_keys = ON",
)


def test_every_query_has_a_case() -> None:
    assert {name for name, text in QUERIES.items() if not READS_NO_ROWS.match(text)} <= set(CASES)
    assert set(SQLITE) <= set(QUERIES)


def test_no_query_takes_more_steps_than_its_result_needs(tmp_path: Path) -> None:
    path = tmp_path / "plants.db"
    migrate(path)
    connection = connect(path)
    connection.create_scalar_function("hash_of", _hash_of, 1)
    for statement in FILLING:
        connection.execute(statement)
    excess = {"without statistics": list(excesses(connection))}
    connection.execute("ANALYZE")
    connection.close()
    connection = connect(path)  # which reads the statistics
    excess["with statistics"] = list(excesses(connection))
    connection.close()
    assert excess == {"without statistics": [], "with statistics": []}


def test_no_write_creates_a_temporary_table(tmp_path: Path) -> None:
    path = tmp_path / "plants.db"
    migrate(path)
    with closing(connect(path)) as connection:
        counts = {name: count_temporary_tables(connection, name) for name in WRITE_QUERIES}
    assert counts == dict.fromkeys(WRITE_QUERIES, 0)


def count_temporary_tables(connection: apsw.Connection, name: str) -> int:
    arguments = CASES[name][0].arguments
    operations = connection.execute(f"EXPLAIN {QUERIES[name]}", tuple(arguments)).fetchall()
    assert operations
    return sum(operation[1] == "OpenEphemeral" for operation in operations)


def excesses(connection: apsw.Connection) -> Iterator[str]:
    """The cases that take too many steps, with the numbers."""
    for name, cases in CASES.items():
        for number, case in enumerate(cases):
            steps = count_steps(connection, QUERIES[name], case)
            if steps > STEPS_OF_A_QUERY + STEPS_OF_A_ROW * case.rows:
                yield f"{name} {number}: {steps} steps for {case.rows} rows"


def count_steps(connection: apsw.Connection, query: str, case: Case) -> int:
    """The steps of the statement's execution, which is undone."""
    profiles: list[Any] = []
    connection.execute("SAVEPOINT before")
    connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, profiles.append)
    connection.execute(query, tuple(case.arguments)).fetchall()
    connection.trace_v2(0, None)
    connection.execute("ROLLBACK TO before")
    connection.execute("RELEASE before")
    steps: int = profiles[0]["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]
    return steps


def _hash_of(*arguments: "apsw.SQLiteValue") -> "apsw.SQLiteValue":
    return hash_of(int(str(arguments[0])))
