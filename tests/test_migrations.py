"""Which migrations a database lacks, and which databases are refused."""

from importlib.resources import files

import pytest

from plantstore.errors import SetupError
from plantstore.sql.migrations import (
    Migration,
    demand_current,
    find_pending,
    load_migrations,
)

MIGRATIONS = [Migration(number, f"step_{number}", f"SELECT {number};") for number in (1, 2, 3)]
CHECKSUMS = {migration.number: migration.checksum for migration in MIGRATIONS}


@pytest.mark.parametrize("count", range(4))
def test_what_was_not_applied_is_pending(count: int) -> None:
    applied = {number: CHECKSUMS[number] for number in range(1, count + 1)}
    assert find_pending(MIGRATIONS, applied) == MIGRATIONS[count:]


def test_a_newer_database_is_refused() -> None:
    with pytest.raises(SetupError, match="version 4, newer than this program's 3"):
        find_pending(MIGRATIONS, CHECKSUMS | {4: "later"})


def test_a_changed_migration_is_refused() -> None:
    with pytest.raises(SetupError, match=r"migration 2 \(step_2\) was applied .* in another form"):
        find_pending(MIGRATIONS, CHECKSUMS | {2: "another"})


def test_an_older_database_is_refused_with_all_that_is_pending() -> None:
    demand_current([])
    with pytest.raises(SetupError, match=r"2 \(step_2\), 3 \(step_3\) is pending: make a backup"):
        demand_current(MIGRATIONS[1:])


def test_a_checksum_stands_for_the_text() -> None:
    assert len({*CHECKSUMS.values(), Migration(1, "step_1", "SELECT 1; ").checksum}) == 4
    assert Migration(9, "other", "SELECT 1;").checksum == CHECKSUMS[1]


def test_the_programs_migrations_are_numbered_without_gaps() -> None:
    found = load_migrations("plantstore.sqlite")
    assert [migration.number for migration in found] == list(range(1, len(found) + 1))
    folder = files("plantstore.sqlite").joinpath("migrations")
    names = {f"{migration.number:04}_{migration.name}.sql" for migration in found}
    assert {path.name for path in folder.iterdir() if path.name.endswith(".sql")} == names
