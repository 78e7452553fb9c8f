"""Citus' queries replace others, and the statements of its functions name the store."""

import re
from pathlib import Path

import plantstore.features.citus
from plantstore.sql.queries import load_queries, read_queries
from tests.sqlite.test_queries import READS_A_STORES_DATA

FOLDER = Path(plantstore.features.citus.__file__).parent


def test_each_query_replaces_another_one() -> None:
    own, replaced = read_queries(FOLDER / "citus.sql"), load_queries("plantstore.postgres")
    assert own
    assert own.keys() <= replaced.keys()
    assert not own.items() & replaced.items()


def test_each_statement_of_a_function_names_the_store() -> None:
    sql = (FOLDER / "distribute.sql").read_text(encoding="utf-8")
    statements = re.findall(r"\b(?:SELECT|UPDATE)\b[^;]*;", sql)
    reads = [one for one in statements if READS_A_STORES_DATA.search(" ".join(one.split()))]
    assert len(reads) == 3
    assert all(re.search(r"\bstore_id = o\.(token_)?store_id\b", one) for one in reads)
