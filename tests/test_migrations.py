"""Which migrations a database lacks, and which databases are refused."""

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
def test_what_was_not_applied_is_pending(count: int) -> None:
    pending = find_pending(MIGRATIONS, APPLIED[:count])
    assert [one.number for one in pending] == [one.number for one in MIGRATIONS[count:]]


def test_a_migration_stops_older_programs_unless_all_that_may_run_can_work_with_it() -> None:
    said = [Migration(4, "later", f"-- compatible-since: {since}") for since in (1, 3, 4)]
    assert [find_pending([one], APPLIED)[0].stops_older for one in said] == [False, False, True]
    assert not find_pending(MIGRATIONS, [])[0].stops_older


def test_a_newer_database_that_this_program_can_live_with_is_taken() -> None:
    later = Migration(4, "later", "-- More.\n-- compatible-since: 3\nSELECT 4;")
    assert later.compatible_since == 3
    assert find_pending(MIGRATIONS, [*APPLIED, recorded(later)]) == []
    with pytest.raises(SetupError, match="version 4, newer than this program's 2"):
        find_pending(MIGRATIONS[:2], [*APPLIED[:2], recorded(later)])


def test_an_older_database_is_refused_with_all_that_is_pending() -> None:
    require_schema(MIGRATIONS, APPLIED)
    with pytest.raises(SetupError, match=r"2 \(step_2\), 3 \(step_3\) is pending: make a backup"):
        require_schema(MIGRATIONS, APPLIED[:1])


@pytest.mark.parametrize("package", ["plantstore.sqlite", "plantstore.postgres"])
def test_the_programs_migrations_are_numbered_without_gaps(package: str) -> None:
    numbers = [migration.number for migration in load_migrations(package)]
    assert numbers == list(range(1, len(numbers) + 1))
