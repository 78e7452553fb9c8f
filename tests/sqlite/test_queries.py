"""Every query is used, and a query of a store's data names the store."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import plantstore
from plantstore.sql.queries import load_queries

QUERIES = {
    f"{adapter}-{name}": sql
    for adapter in ("sqlite", "postgres")
    for name, sql in load_queries(f"plantstore.{adapter}").items()
}
SOURCE = Path(plantstore.__file__).parent
STORE_TABLES = ("members", "tokens", "plants", "events", "idempotency_keys")
TOUCHES_A_STORES_DATA = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE|COPY) ({'|'.join(STORE_TABLES)})\b")
# Many requests at once come as the rows of ``o``, each with its store.
STORE = r"(\w\.)?store_id = (\?\d|\$\d|[ow]\.store_id)"
NAMES_THE_STORE = re.compile(
    rf"(WHERE|AND|ON) {STORE}|(INSERT( OR REPLACE)? INTO|COPY) \w+ \(store_id, [^)]*\)"
)
# What is asked across stores, and why that is right.
ACROSS_STORES = {
    "delete_old_keys": "keys grow old in all stores alike, and nothing of them is given out",
    "find_first_store": "it looks for the stores of one user",
    "find_tokens_between": "the administrator names a token by its id alone",
    "list_tokens": "the administrator may list the tokens of all stores",
}


def name_of(query: str) -> str:
    """The query's name without its adapter's."""
    return query.partition("-")[2]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_a_stores_data_names_the_store(query: str) -> None:
    sql = " ".join(QUERIES[query].split())
    if TOUCHES_A_STORES_DATA.search(sql) and name_of(query) not in ACROSS_STORES:
        assert NAMES_THE_STORE.search(sql)


def test_the_exceptions_are_queries_that_need_to_be() -> None:
    exceptions = [sql for query, sql in QUERIES.items() if name_of(query) in ACROSS_STORES]
    assert len(exceptions) == 2 * len(ACROSS_STORES)
    for sql in exceptions:
        assert not NAMES_THE_STORE.search(" ".join(sql.split()))


def test_each_part_of_a_query_of_plants_names_the_store() -> None:
    for sql in QUERIES.values():
        for statement in re.split(r"(?=\b(?:SELECT|DELETE)\b)", sql):
            if re.search(r"\bFROM plants\b", statement):
                assert re.search(STORE, statement)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_is_used(query: str) -> None:
    adapter, _, name = query.partition("-")
    texts, patterns = strings_of_source(adapter)
    names = set(load_queries(f"plantstore.{adapter}"))
    composed = any(
        name.startswith(text) and name[len(text) :] in texts for text in texts if text in names
    )
    assert name in texts or composed or any(pattern.fullmatch(name) for pattern in patterns)


@cache
def strings_of_source(adapter: str) -> tuple[set[str], list[re.Pattern[str]]]:
    """The strings of what may use the adapter's queries, and its f-strings, as patterns."""
    texts: set[str] = set()
    patterns: list[re.Pattern[str]] = []
    (other,) = {"sqlite", "postgres"} - {adapter}
    for file in SOURCE.rglob("*.py"):
        if file.is_relative_to(SOURCE / other):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [
                    re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+"
                    for part in node.values
                ]
                if re.fullmatch(r"[\w+\\]+", "".join(parts)) and len(parts) > 1:
                    patterns.append(re.compile("".join(parts)))
    return texts, patterns


@pytest.mark.parametrize("adapter", ["sqlite", "postgres"])
def test_every_name_that_is_asked_for_is_a_query(adapter: str) -> None:
    asked = re.compile(r"(?:_sql\[|query\()\"(\w+)\"")
    for folder in (adapter, "sql"):
        for file in SOURCE.joinpath(folder).rglob("*.py"):
            for name in asked.findall(file.read_text(encoding="utf-8")):
                assert f"{adapter}-{name}" in QUERIES
