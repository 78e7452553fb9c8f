"""Numbered migrations: which there are, and which a database still lacks."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files

from msgspec import Struct

from plantstore.errors import SetupError


class Migration(Struct, frozen=True):
    """One file of an adapter's ``migrations`` folder, such as ``0001_initial.sql``."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the SQL, in hexadecimal, recorded where the migration was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load_migrations(package: str) -> Sequence[Migration]:
    """The package's migrations in the order of their numbers."""
    folder = files(package).joinpath("migrations")
    paths = sorted(
        (path for path in folder.iterdir() if path.name.endswith(".sql")), key=lambda p: p.name
    )
    return [
        Migration(int(path.name[:4]), path.name[5:-4], path.read_text(encoding="utf-8"))
        for path in paths
    ]


def find_pending(
    migrations: Sequence[Migration], applied: Mapping[int, str]
) -> Sequence[Migration]:
    """The migrations that a database lacks, given the checksums by number that it recorded.

    :raises SetupError: the database was written by a newer program, or by a changed one.
    """
    newest = migrations[-1].number
    if applied and max(applied) > newest:
        raise SetupError(
            f"the database's schema is version {max(applied)}, newer than this program's "
            f"{newest}: use the program that moved it, or a newer one"
        )
    for migration in migrations:
        recorded = applied.get(migration.number)
        if recorded not in (None, migration.checksum):
            raise SetupError(
                f"migration {migration.number} ({migration.name}) was applied to this database "
                "in another form: restore a backup, or use the program that applied it"
            )
    return [migration for migration in migrations if migration.number not in applied]


def demand_current(pending: Sequence[Migration]) -> None:
    """Refuse a database that is older than the program.

    :raises SetupError: a migration is pending.
    """
    if pending:
        names = ", ".join(f"{m.number} ({m.name})" for m in pending)
        raise SetupError(
            f"the database's schema is older than this program, migration {names} is pending: "
            "make a backup, then run `plantstore migrate`"
        )
