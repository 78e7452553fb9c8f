"""Writes the table of the core and the features into ARCHITECTURE.md: ``make docs`` runs it."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from plantstore.features import FEATURES

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
PACKAGE = ROOT / "src" / "plantstore"
TESTS = ROOT / "tests"
BEGIN, END = "<!-- generated: make docs -->\n", "<!-- end -->"
CORE_TESTS = ("http", "contract", "sqlite", "cli")
_HEAD = """
| part | what it is | Python and SQL | tests |
| --- | --- | --- | --- |
"""


def count_lines(*folders: Path) -> int:
    files = (file for folder in folders for file in folder.rglob("*.*"))
    return sum(file.read_bytes().count(b"\n") for file in files if file.suffix in {".py", ".sql"})


def sizes() -> Iterator[tuple[str, str, int, int]]:
    """Each part, its purpose, and the lines of its source and its tests."""
    postgres, features = PACKAGE / "postgres", PACKAGE / "features"
    core = count_lines(PACKAGE) - count_lines(postgres, features)
    of_core = count_lines(*(TESTS / folder for folder in CORE_TESTS))
    yield "core", "the three calls on SQLite, with tokens from the command line", core, of_core
    of_postgres = count_lines(postgres), count_lines(TESTS / "postgres")
    yield "postgres", "PostgreSQL as its database", *of_postgres
    for name in FEATURES:
        text = import_module(f"plantstore.features.{name}").__doc__ or ""
        purpose = text.partition(".\n")[0].rstrip(".").replace("``", "`")
        of_feature = count_lines(features / name), count_lines(TESTS / "features" / name)
        yield name, purpose, *of_feature


def write_table() -> None:
    before, remainder = ARCHITECTURE.read_text(encoding="utf-8").split(BEGIN)
    _, after = remainder.split(END)
    rows = "".join(
        f"| {name} | {purpose} | {source} | {tests} |\n" for name, purpose, source, tests in sizes()
    )
    ARCHITECTURE.write_text(before + BEGIN + _HEAD + rows + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    write_table()
