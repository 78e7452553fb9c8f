"""Every list of a plant's fields is complete: in SQL, the schema and the interface.

A list is found by a field that it contains. Lists of features in other languages are tested in the
feature's own ``test_plant_fields.py``.
"""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import plantstore
from building.document import parse_document, read_document
from plantstore.core.model import (
    INT64_MAX,
    INT64_MIN,
    OPTIONAL_FIELDS,
    PLANT_FIELDS,
    TEXT_LENGTHS,
    NewPlant,
    digest_of,
)
from plantstore.sql.migrations import load_migrations

SOURCE = Path(plantstore.__file__).parent
ROLE = SOURCE.parents[1] / "docs" / "postgresql-role.sql"
FILES = [file for file in (*SOURCE.rglob("*.sql"), ROLE) if file.parent.name != "migrations"]
CONTENTS = set(PLANT_FIELDS[1:])
HAS_PLANTS = re.compile(r"\b(FROM|JOIN|INTO|UPDATE|ON) (plants|events)\b")
CLAUSE = re.compile(r"\b(?=(?:SELECT|FROM|WHERE|SET|VALUES|INTO|ELSIF|END IF)\b)")
OF_ONE_FIELD = ("read_tags",)
IGNORED = re.compile(r"--.*|'[^']*'|(?<=AND )(p\.)?tag = t\.value")  # comments, texts, the filter


def test_each_sql_clause_names_all_plant_fields_or_none() -> None:
    incomplete = [
        (file.relative_to(SOURCE.parents[1]).as_posix(), query.partition("\n")[0], clause)
        for file in FILES
        for query in file.read_text(encoding="utf-8").split("-- name: ")
        if not query.startswith(OF_ONE_FIELD)
        if HAS_PLANTS.search(query)
        for clause in CLAUSE.split(IGNORED.sub("", query))
        if CONTENTS & set(re.findall(r"\w+", clause)) not in (set(), CONTENTS)
    ]
    assert not incomplete


def test_each_insert_has_a_value_for_each_column() -> None:
    for file in FILES:
        sql = file.read_text(encoding="utf-8")
        for columns, values in re.findall(r"INTO \w+ \(([^()]*)\)\s+VALUES \(([^()]*)\)", sql):
            assert columns.count(",") == values.count(","), columns


@pytest.mark.parametrize("table", ["plants", "events"])
@pytest.mark.parametrize("adapter", ["sqlite", "postgres"])
def test_migrations_create_a_column_for_each_field(adapter: str, table: str) -> None:
    sql = "".join(migration.sql for migration in load_migrations(f"plantstore.{adapter}"))
    created = re.search(rf"CREATE TABLE {table} \((.*?)\n\)", sql, re.DOTALL)
    assert created is not None
    added = re.findall(rf"ALTER TABLE {table} ADD COLUMN (\w+)", sql)
    assert set(re.findall(r"^    (\w+)", created[1], re.MULTILINE)) | set(added) >= CONTENTS


def find_schemas(node: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - it is any JSON value
    """The schemas that have an optional field of a plant, except those of webhooks and messages."""
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    fields = node.get("properties", {}).keys() if isinstance(node, dict) else ()
    if set(fields) & set(OPTIONAL_FIELDS) and not {"url", "store"} & set(fields):
        yield node
    for part in parts:
        yield from find_schemas(part)


def test_openapi_schemas_have_all_fields_with_their_limits() -> None:
    schemas = list(find_schemas(parse_document(read_document())["components"]["schemas"]))
    assert len(schemas) >= 3  # Plant, NewPlant, PlantUpdate
    for schema in schemas:
        fields = schema["properties"]
        assert fields.keys() | {"id"} >= set(PLANT_FIELDS)
        is_change = {"op"} & fields.keys()  # a delete needs the id alone
        required = set() if is_change else CONTENTS - set(OPTIONAL_FIELDS)
        assert set(schema["required"]) - {"id"} == required
        for field, (longest, shortest) in TEXT_LENGTHS.items():
            lengths = fields[field]["maxLength"], fields[field].get("minLength", 0)
            assert lengths == (longest, shortest)
            assert f"{shortest:,} to {longest:,} characters" in fields[field]["description"]
        if "id" in fields:
            assert (fields["id"]["minimum"], fields["id"]["maximum"]) == (INT64_MIN, INT64_MAX)


def test_different_plants_have_different_digests() -> None:
    choices = [("a", "b", *((None,) if field in OPTIONAL_FIELDS else ())) for field in TEXT_LENGTHS]
    plants = [NewPlant(*values) for values in product((1, 11), *choices)]
    assert len({digest_of(plant) for plant in plants}) == len(plants)
