"""A later program: this one, with one migration more."""

import shutil
from pathlib import Path

import plantstore
from plantstore.sql.migrations import load_migrations
from tests.cli.program import Program

NEWEST = load_migrations("plantstore.sqlite")[-1].number
LATER = NEWEST + 1
MIGRATION = "ALTER TABLE plants ADD COLUMN height INTEGER;"


def later_program(program: Program, migration: str = MIGRATION, adapter: str = "sqlite") -> Program:
    """The later program, on the same database."""
    folder = program.folder / "later"
    source = Path(plantstore.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, folder / "plantstore", ignore=ignored)
    migrations = folder / "plantstore" / adapter / "migrations"
    (migrations / f"{LATER:04}_later.sql").write_text(migration, encoding="utf-8")
    environ = {
        "PYTHONPATH": str(folder),
        "PLANTSTORE_DATABASE": program.environ["PLANTSTORE_DATABASE"],
    }
    return Program(program.folder, environ)
