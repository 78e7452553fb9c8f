"""Every query is used, and a query of a store's data names the store."""

import ast
import re
from pathlib import Path

import plantstore
from plantstore.sql.queries import load_queries, read_queries

QUERIES = {
    f"{adapter}-{name}": sql
    for adapter in ("sqlite", "postgres")
    for name, sql in load_queries(f"plantstore.{adapter}").items()
}
SOURCE = Path(plantstore.__file__).parent
STORE_TABLES = ("members", "tokens", "plants", "events", "idempotency_keys", "links")
READS_A_STORES_DATA = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE|COPY) ({'|'.join(STORE_TABLES)})\b")
# Many requests at once come as the rows of ``o``, each with its store.
STORE = r"(\w\.)?store_id = (\?\d|\$\d|[ow]\.store_id)"
NAMES_THE_STORE = re.compile(
    rf"(WHERE|AND|ON) {STORE}|(INSERT( OR REPLACE)? INTO|COPY) \w+ \(store_id, [^)]*\)"
)
# Queries across stores, and why that is right.
ACROSS_STORES = {
    **dict.fromkeys(
        ("page_of_members", "page_of_tokens", "page_of_plants", "page_of_events", "page_of_keys"),
        "a copy reads stores in the order of their numbers",
    ),
    "delete_old_keys": "keys grow old in all stores alike, and nothing of them is returned",
    "delete_keys_of": "it erases one user",
    "delete_memberships_of": "it erases one user",
    "delete_tokens_of": "it erases one user",
    "delete_links": "it ends the links of a user, or those of all stores, as revoke_tokens",
    "find_links": "the administrator may list the links of all stores",
    "list_all_members": "the administrator may list the members of all stores",
    "list_memberships": "it tells the roles of one user",
    "find_oldest_event": "events grow old in all stores alike; it tells a number and a time",
    "find_first_store": "it finds the stores of one user",
    "find_tokens_between": "the administrator names a token by its id alone",
    "list_tokens": "the administrator may list the tokens of all stores",
    "revoke_tokens": "the administrator may revoke the tokens of all stores",
}


def test_a_query_of_a_stores_data_names_the_store_or_has_a_reason_not_to() -> None:
    across = set()
    for query, text in QUERIES.items():
        sql = " ".join(text.split())
        if READS_A_STORES_DATA.search(sql) and not NAMES_THE_STORE.search(sql):
            across.add(query.partition("-")[2])
    assert across == set(ACROSS_STORES)


def test_each_part_of_a_query_of_plants_names_the_store() -> None:
    for query, sql in QUERIES.items():
        if query.partition("-")[2] in ACROSS_STORES:
            continue
        for statement in re.split(r"(?=\b(?:SELECT|DELETE)\b)", sql):
            if re.search(r"\bFROM plants\b", statement):
                assert re.search(STORE, statement)


def test_a_query_that_is_the_same_on_both_databases_stands_once() -> None:
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
    on_citus = read_queries(SOURCE / "postgres" / "citus" / "queries.sql")
    assert not on_citus.items() & load_queries("plantstore.postgres").items()


def test_each_statement_of_the_function_that_writes_names_the_store() -> None:
    sql = (SOURCE / "postgres" / "functions.sql").read_text(encoding="utf-8")
    statements = re.findall(r"\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^;]*;", sql)
    reads = [one for one in statements if READS_A_STORES_DATA.search(" ".join(one.split()))]
    assert len(reads) > 6
    for statement in reads:
        assert re.search(
            r"store_id = (store|w\.token_store_id)\b"
            r"|INSERT INTO .*\(store_id, [^)]*\)\s*VALUES \(store,",
            statement,
        )


def test_every_query_is_used() -> None:
    for adapter, other in (("sqlite", "postgres"), ("postgres", "sqlite")):
        texts = strings_of_source(SOURCE / other)
        names = set(load_queries(f"plantstore.{adapter}"))
        # Some names are composed of another one and an ending, or of a format with one part.
        used = {
            name
            for name in names
            if name in texts
            or any(name.startswith(text) and name[len(text) :] in texts for text in texts & names)
            or re.fullmatch(r"delete_(plants|events|keys)_of_store", name)
        }
        assert used == names


def strings_of_source(without: Path) -> set[str]:
    """The strings of the program, but for one adapter's."""
    files = [file for file in SOURCE.rglob("*.py") if not file.is_relative_to(without)]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {node.value for node in nodes if isinstance(node.value, str)}
