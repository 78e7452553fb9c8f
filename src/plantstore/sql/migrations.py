"""Numbered migrations: those of this program, and those that a database still lacks.

A migration that older programs can work with says so in a line ``-- compatible-since: 3``:
programs whose newest migration is 3 or later keep working, and start, on the resulting schema.

On PostgreSQL each statement of a migration with a line ``-- outside-transaction`` is a transaction
of its own, as ``CREATE INDEX CONCURRENTLY`` must be. After a kill they are all executed again, so
the first drops what the next may have left.

``functions.sql`` is migration 0: it is applied after the others, and again where it has changed.
So is the ``distribute.sql`` of a feature that distributes the tables, migration -1, of which the
name is the feature's: in databases that were distributed by it.
"""

import hashlib
import re
from collections.abc import Sequence

from msgspec import Struct

from plantstore.core.clock import now
from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.sql.queries import folder_of

_COMPATIBLE_LINE = re.compile(r"^-- compatible-since: (\d+)$", re.MULTILINE)
_OUTSIDE_LINE = re.compile(r"^-- outside-transaction$", re.MULTILINE)
_FUNCTIONS = 0
_DISTRIBUTION = -1


class Migration(Struct, frozen=True):
    """One file of an adapter's ``migrations`` folder, such as ``0001_initial.sql``."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the SQL, in hexadecimal, recorded when the migration is applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def record(self) -> Row:
        """The row of ``schema_migrations`` for a migration that is applied now."""
        return self.number, self.name, self.checksum, self.compatible_since, now()

    @property
    def compatible_since(self) -> int:
        """The newest migration that a program must at least have to work on this one's schema."""
        found = _COMPATIBLE_LINE.search(self.sql)
        return self.number if found is None else int(found[1])

    @property
    def is_outside_transaction(self) -> bool:
        """Whether its statements are executed outside of a transaction."""
        return _OUTSIDE_LINE.search(self.sql) is not None

    @property
    def statements(self) -> Sequence[str]:
        """Its statements, each of which ends a line."""
        return [statement for statement in self.sql.split(";\n") if statement.strip()]


class Applied(Struct, frozen=True):
    """A row of ``schema_migrations``; versions before 1.0.0 have the same columns."""

    number: int
    name: str
    checksum: str
    compatible_since: int
    applied_at: int


def load_migrations(package: str, distribution: str | None = None) -> Sequence[Migration]:
    """The package's migrations, and a feature's, in the order in which they are applied."""
    folder = folder_of(package)
    migrations = [
        Migration(int(path.name[:4]), path.name[5:-4], path.read_text(encoding="utf-8"))
        for path in sorted((folder / "migrations").glob("*.sql"))
    ]
    functions = folder / "functions.sql"
    if functions.exists():
        migrations.append(Migration(_FUNCTIONS, "functions", functions.read_text(encoding="utf-8")))
    if distribution is not None:
        file = folder_of("plantstore") / "features" / distribution / "distribute.sql"
        migrations.append(Migration(_DISTRIBUTION, distribution, file.read_text(encoding="utf-8")))
    return migrations


def find_distribution(applied: Sequence[Applied]) -> str | None:
    """The feature that distributes the database's tables, if any does."""
    return next((one.name for one in applied if one.number == _DISTRIBUTION), None)


def find_pending(
    migrations: Sequence[Migration], applied: Sequence[Applied]
) -> Sequence[Migration]:
    """The migrations that a database lacks, given those that it recorded.

    The functions of a newer program, with which this one can work, are not replaced.

    :raises SetupError: the database was migrated by a newer program, or by a changed one.
    """
    checksums = {recorded.number: recorded.checksum for recorded in applied}
    for migration in migrations:
        is_changed = checksums.get(migration.number) not in (None, migration.checksum)
        if is_changed and migration.number > _FUNCTIONS:
            raise SetupError(
                f"migration {migration.number} ({migration.name}) was applied to this database in "
                "another form, as versions before 1.0.0 do: use the program that applied it; to "
                "move its plants here, export them there, and import them into a new database"
            )
    newest = max(migration.number for migration in migrations)
    version = max(checksums, default=0)
    if any(recorded.compatible_since > newest for recorded in applied):
        raise SetupError(
            f"the database's schema is version {version}, newer than this program's "
            f"{newest}: use the program that migrated it, or a newer one"
        )
    return [
        migration
        for migration in migrations
        if checksums.get(migration.number) != migration.checksum
        and (migration.number > _FUNCTIONS or version <= newest)
    ]


def find_missing(
    package: str, applied: Sequence[Applied], distribution: str | None = None
) -> Sequence[Migration]:
    """The package's migrations that a database lacks, which recorded these.

    ``distribution`` is the feature that is to distribute its tables from now on.
    """
    distribution = distribution or find_distribution(applied)
    return find_pending(load_migrations(package, distribution), applied)


def require_schema(package: str, applied: Sequence[Applied]) -> str | None:
    """Refuse a schema of another version. The feature that distributes its tables, if any does.

    :raises SetupError: it is older, newer or missing; the message says what to do.
    """
    if not applied:
        raise SetupError("the database has no tables yet: run `plantstore migrate`")
    require_current(find_missing(package, applied))
    return find_distribution(applied)


def require_current(pending: Sequence[Migration]) -> None:
    """Refuse a database that is older than the program.

    :raises SetupError: a migration is pending.
    """
    if pending:
        names = ", ".join(f"{m.number} ({m.name})" for m in pending)
        raise SetupError(
            f"the database's schema is older than this program, migration {names} is pending: "
            "make a backup, then run `plantstore migrate`"
        )
