"""docs/reference.md is up to date with the code."""

from pathlib import Path

from tests.docs.reference import render

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"


def test_the_reference_is_up_to_date() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == render(), "run `make docs`"
