"""Numbered migrations: those of this program, and those that a database still lacks.

A migration that older programs can work with says so in a line ``-- compatible-since: 3``:
programs whose newest migration is 3 or later keep working, and start, on the resulting schema.

Those with a number below 1, such as PostgreSQL's functions, are applied after the others, and again
where they have changed.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from plantstore.core.clock import now
from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.sql.queries import folder_of

_COMPATIBLE_LINE = re.compile(r"^-- compatible-since: (\d+)$", re.MULTILINE)


class Migration(Struct, frozen=True):
    """One file of an adapter's ``migrations`` folder, such as ``0001_initial.sql``.

    A pending one ``stops_older`` if programs that work with the database so far cannot go on.
    """

    number: int
    name: str
    sql: str
    stops_older: bool = False

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
        line = _COMPATIBLE_LINE.search(self.sql)
        return self.number if line is None else int(line[1])


class Applied(Struct, frozen=True):
    """A row of ``schema_migrations``; versions before 1.0.0 have the same columns."""

    number: int
    name: str
    checksum: str
    compatible_since: int
    applied_at: int


@cache  # what is installed meanwhile is not this program's
def load_migrations(package: str) -> Sequence[Migration]:
    return [
        Migration(int(path.name[:4]), path.name[5:-4], path.read_text(encoding="utf-8"))
        for path in sorted((folder_of(package) / "migrations").glob("*.sql"))
    ]


def find_newest(package: str) -> int:
    return max(migration.number for migration in load_migrations(package))


def find_pending(
    migrations: Sequence[Migration], applied: Sequence[Applied]
) -> Sequence[Migration]:
    """The migrations that a database lacks, given those that it recorded.

    What a newer program has changed, with which this one can work, is not replaced.

    :raises SetupError: the database was migrated by a newer program, or by a changed one.
    """
    checksums = {recorded.number: recorded.checksum for recorded in applied}
    for migration in migrations:
        is_changed = checksums.get(migration.number) not in (None, migration.checksum)
        if is_changed and migration.number > 0:
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
    needed = max((recorded.compatible_since for recorded in applied), default=newest)
    return [
        replace(migration, stops_older=migration.compatible_since > needed)
        for migration in migrations
        if checksums.get(migration.number) != migration.checksum
        and (migration.number > 0 or version <= newest)
    ]


def refuse_to_stop(stopping: Sequence[Migration], reason: str) -> str:
    """The message where these migrations would stop programs that use the database."""
    return (
        f"older programs cannot work with {name_all(stopping)}, and {reason}; then run "
        "`plantstore migrate` again, or give --yes to migrate anyway: older programs then refuse "
        "writes"
    )


def name_all(migrations: Sequence[Migration]) -> str:
    names = ", ".join(f"{m.number} ({m.name})" for m in migrations)
    return f"migration {names}"


def require_schema(migrations: Sequence[Migration], applied: Sequence[Applied]) -> None:
    """Refuse a schema of another version.

    :raises SetupError: it is older, newer or missing; the message says what to do.
    """
    if not applied:
        raise SetupError("the database has no tables yet: run `plantstore migrate`")
    require_current(find_pending(migrations, applied))


def require_current(pending: Sequence[Migration]) -> None:
    """Refuse a database that is older than the program.

    :raises SetupError: a migration is pending.
    """
    if pending:
        raise SetupError(
            f"the database's schema is older than this program, {name_all(pending)} is pending: "
            "make a backup, then run `plantstore migrate`"
        )
