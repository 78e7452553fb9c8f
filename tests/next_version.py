"""The next version of the program: this version with one more migration."""

import shutil
from pathlib import Path

import plantstore
from plantstore.sql.migrations import load_migrations
from tests.cli.program import Program

# By adapter.
NEWEST = {
    adapter: max(migration.number for migration in load_migrations(f"plantstore.{adapter}"))
    for adapter in ("sqlite", "postgres")
}
MIGRATION = "ALTER TABLE plants ADD COLUMN height INTEGER;"


def next_program(program: Program, migration: str = MIGRATION, adapter: str = "sqlite") -> Program:
    folder = program.folder / "next"
    shutil.copytree(Path(plantstore.__file__).parent, folder / "plantstore")
    migrations = folder / "plantstore" / adapter / "migrations"
    migrations.mkdir(exist_ok=True)
    (migrations / f"{NEWEST[adapter] + 1:04}_next.sql").write_text(migration, encoding="utf-8")
    environ = {
        "PYTHONPATH": str(folder),
        "PLANTSTORE_DATABASE": program.environ["PLANTSTORE_DATABASE"],
    }
    return Program(program.folder, environ)
