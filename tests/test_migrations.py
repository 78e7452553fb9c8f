"""Which migrations are pending, and which databases are refused."""

import pytest

from plantstore.core.errors import SetupError
from plantstore.sql.migrations import (
    Applied,
    Migration,
    find_pending,
    load_migrations,
    require_schema,
)

MIGRATIONS = [Migration(number, f"step_{number}", f"SELECT {number};") for number in (1, 2, 3)]


def recorded(migration: Migration) -> Applied:
    return Applied(
        migration.number, migration.name, migration.checksum, migration.compatible_since, 0
    )


APPLIED = [recorded(migration) for migration in MIGRATIONS]


@pytest.mark.parametrize("count", range(4))
def test_unapplied_migrations_are_pending(count: int) -> None:
    pending = find_pending(MIGRATIONS, APPLIED[:count])
    assert [migration.number for migration in pending] == [
        migration.number for migration in MIGRATIONS[count:]
    ]


def test_a_migration_stops_older_programs_unless_it_is_compatible() -> None:
    migrations = [Migration(4, "later", f"-- compatible-since: {since}") for since in (1, 3, 4)]
    assert [find_pending([migration], APPLIED)[0].stops_older for migration in migrations] == [
        False,
        False,
        True,
    ]
    assert not find_pending(MIGRATIONS, [])[0].stops_older


def test_a_newer_database_is_accepted_if_it_is_compatible() -> None:
    later = Migration(4, "later", "-- More.\n-- compatible-since: 3\nSELECT 4;")
    assert later.compatible_since == 3
    assert find_pending(MIGRATIONS, [*APPLIED, recorded(later)]) == []
    with pytest.raises(SetupError, match="version 4, newer than this program's 2"):
        find_pending(MIGRATIONS[:2], [*APPLIED[:2], recorded(later)])


def test_an_outdated_database_is_refused_with_its_pending_migrations() -> None:
    require_schema(MIGRATIONS, APPLIED)
    with pytest.raises(
        SetupError, match=r"2 \(step_2\), migration 3 \(step_3\) is pending: make a backup"
    ):
        require_schema(MIGRATIONS, APPLIED[:1])


@pytest.mark.parametrize("package", ["plantstore.sqlite", "plantstore.postgres"])
def test_migrations_are_numbered_without_gaps(package: str) -> None:
    numbers = [migration.number for migration in load_migrations(package)]
    assert numbers == list(range(1, len(numbers) + 1))
