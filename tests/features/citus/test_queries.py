"""Citus queries replace existing queries, and the statements of its functions name the store."""

import re
from pathlib import Path

import plantstore.features.citus
from plantstore.sql.queries import load_queries, read_queries
from tests.sqlite.test_queries import READS_A_STORES_DATA

FOLDER = Path(plantstore.features.citus.__file__).parent


def test_each_query_replaces_an_existing_query() -> None:
    own, replaced = read_queries(FOLDER / "citus.sql"), load_queries("plantstore.postgres")
    assert own
    assert own.keys() <= replaced.keys()
    assert not own.items() & replaced.items()


def test_each_statement_of_a_function_names_the_store() -> None:
    sql = (FOLDER / "distribute.sql").read_text(encoding="utf-8")
    statements = re.findall(r"\b(?:SELECT|UPDATE)\b[^;]*;", sql)
    reads = [
        statement
        for statement in statements
        if READS_A_STORES_DATA.search(" ".join(statement.split()))
    ]
    assert len(reads) == 3
    assert all(re.search(r"\bstore_id = o\.(token_)?store_id\b", statement) for statement in reads)
