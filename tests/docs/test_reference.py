"""docs/reference.md is what the code says."""

from pathlib import Path

from tests.docs.reference import render

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"


def test_the_reference_is_what_the_code_says() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == render(), "run `make docs`"
