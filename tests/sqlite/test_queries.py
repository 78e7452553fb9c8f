"""Every query is used, and a query of a store's data names the store."""

import ast
import re
from pathlib import Path

import pytest

import plantstore
from plantstore.sql.queries import load_queries

QUERIES = load_queries("plantstore.sqlite")
SOURCE = Path(plantstore.__file__).parent
STORE_TABLES = ("members", "tokens", "plants", "events", "idempotency_keys")
TOUCHES_A_STORES_DATA = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE) ({'|'.join(STORE_TABLES)})\b")
NAMES_THE_STORE = re.compile(
    r"(WHERE|AND) (\w\.)?store_id = \?\d|INSERT( OR REPLACE)? INTO \w+ \(store_id, [^)]*\)"
)
# What is asked across stores, and why that is right.
ACROSS_STORES = {
    "delete_old_keys": "keys grow old in all stores alike, and nothing of them is given out",
    "find_first_store": "it looks for the stores of one user",
    "list_tokens": "the administrator may list the tokens of all stores",
    "revoke_token": "the administrator names a token by its id alone",
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_of_a_stores_data_names_the_store(name: str) -> None:
    sql = " ".join(QUERIES[name].split())
    if TOUCHES_A_STORES_DATA.search(sql) and name not in ACROSS_STORES:
        assert NAMES_THE_STORE.search(sql)


def test_the_exceptions_are_queries_that_need_to_be() -> None:
    for name in ACROSS_STORES:
        assert not NAMES_THE_STORE.search(" ".join(QUERIES[name].split()))


def test_each_part_of_a_query_of_plants_names_the_store() -> None:
    for sql in QUERIES.values():
        for statement in re.split(r"(?=\b(?:SELECT|DELETE)\b)", sql):
            if re.search(r"\bFROM plants\b", statement):
                assert "store_id = ?1" in statement


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_used(name: str) -> None:
    texts, patterns = strings_of_source()
    composed = any(
        name.startswith(text) and name[len(text) :] in texts for text in texts if text in QUERIES
    )
    assert name in texts or composed or any(pattern.fullmatch(name) for pattern in patterns)


def strings_of_source() -> tuple[set[str], list[re.Pattern[str]]]:
    """The program's strings, and its f-strings that could name a query, as patterns."""
    texts: set[str] = set()
    patterns: list[re.Pattern[str]] = []
    for file in SOURCE.rglob("*.py"):
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


def test_every_name_that_is_asked_for_is_a_query() -> None:
    asked = re.compile(r"(?:_sql\[|\bquery\()\"(\w+)\"")
    for file in SOURCE.joinpath("sqlite").glob("*.py"):
        for name in asked.findall(file.read_text(encoding="utf-8")):
            assert name in QUERIES
