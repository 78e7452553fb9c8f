"""The OpenAPI document, as it stands in the package."""

from pathlib import Path
from typing import Any

_DOCUMENT = Path(__file__).parents[1] / "openapi.yaml"


def read_document() -> str:
    """Its text, comments and all."""
    return _DOCUMENT.read_text(encoding="utf-8")


def parse_document(text: str) -> dict[str, Any]:
    """What it says."""
    import yaml  # noqa: PLC0415 - slow to import, and seldom needed

    document: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return document
