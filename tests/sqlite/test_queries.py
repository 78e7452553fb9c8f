"""Queries of a store's data name the store; a feature's queries are used only by the feature."""

import ast
import re
from pathlib import Path

import plantstore
from plantstore.sql.queries import load_queries, read_queries
from tests.feature_cases import feature_cases

QUERIES = {
    f"{adapter}-{name}": sql
    for adapter in ("sqlite", "postgres")
    for name, sql in load_queries(f"plantstore.{adapter}").items()
}
SOURCE = Path(plantstore.__file__).parent
STORE_TABLES = (
    "members",
    "tokens",
    "plants",
    "events",
    "idempotency_keys",
    "links",
    "webhooks",
    "deliveries",
)
READS_A_STORES_DATA = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE) ({'|'.join(STORE_TABLES)})\b")
# Batched requests are the rows of ``o``, each with its store.
STORE = r"(\w\.)?store_id = (\?\d|\$\d|[ow]\.store_id)"
NAMES_THE_STORE = re.compile(
    rf"(WHERE|AND|ON) {STORE}|INSERT( OR REPLACE)? INTO \w+ \(store_id, [^)]*\)"
)
# Queries across stores, and the reasons.
ACROSS_STORES = {
    "delete_old_keys": "keys grow old in all stores alike, and nothing of them is returned",
    "delete_links": "it ends the links of a user, or those of all stores, as revoke_tokens",
    "find_store_of_token": "a declared token does not say which store is its own",
    "find_token": "the administrator names a token by its id alone",
    "list_tokens": "the administrator may list the tokens of all stores",
    "page_of_plants": "a copy reads stores in the order of their numbers",
    "revoke_tokens": "the administrator may revoke the tokens of all stores",
    **{
        name: why
        for part in feature_cases("queries", "ACROSS_STORES")
        for name, why in part.items()
    },
}


def test_queries_of_a_stores_data_name_the_store_unless_exempt() -> None:
    across = set()
    for query, text in QUERIES.items():
        sql = " ".join(text.split())
        if READS_A_STORES_DATA.search(sql) and not NAMES_THE_STORE.search(sql):
            across.add(query.partition("-")[2])
    assert across == set(ACROSS_STORES)


def test_each_statement_on_plants_names_the_store() -> None:
    for query, sql in QUERIES.items():
        if query.partition("-")[2] in ACROSS_STORES:
            continue
        for statement in re.split(r"(?=\b(?:SELECT|DELETE)\b)", sql):
            if re.search(r"\bFROM plants\b", statement):
                assert re.search(STORE, statement)


def test_queries_that_are_equal_on_both_databases_are_shared() -> None:
    shared, sqlite, postgres = (
        {
            name: " ".join(sql.replace("$", "?").split())
            for file in files
            for name, sql in read_queries(file).items()
        }
        for files in (
            [SOURCE / "sql" / "queries.sql", *SOURCE.glob("features/*/queries.sql")],
            [SOURCE / "sqlite" / "queries.sql", *SOURCE.glob("features/*/sqlite.sql")],
            [SOURCE / "postgres" / "queries.sql", *SOURCE.glob("features/*/postgres.sql")],
        )
    )
    assert not shared.keys() & (sqlite.keys() | postgres.keys())
    assert not sqlite.items() & postgres.items()


def test_each_statement_of_the_write_function_names_the_store() -> None:
    sql = (SOURCE / "postgres" / "functions.sql").read_text(encoding="utf-8")
    statements = re.findall(r"\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^;]*;", sql)
    reads = [it for it in statements if READS_A_STORES_DATA.search(" ".join(it.split()))]
    assert len(reads) > 6
    for statement in reads:
        assert re.search(
            r"store_id = (store|w\.token_store_id)\b"
            r"|INSERT INTO .*\(store_id, [^)]*\)\s*VALUES \(store,",
            statement,
        )


def test_a_features_queries_are_used_only_by_the_feature() -> None:
    strings = {file: strings_of(file) for file in SOURCE.rglob("*.py")}
    for folder in SOURCE.glob("features/*/"):
        own = [folder / name for name in ("queries.sql", "sqlite.sql", "postgres.sql")]
        names = {name for file in own if file.exists() for name in read_queries(file)}
        inside = {file for file in strings if file.is_relative_to(folder)}
        assert names <= set().union(*(strings[file] for file in inside))
        assert not names & set().union(*(strings[file] for file in strings.keys() - inside))


def strings_of(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    values = (node.value for node in nodes if isinstance(node, ast.Constant))
    return {value for value in values if isinstance(value, str)}
