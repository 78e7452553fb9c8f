"""The interface's OpenAPI document: the core's part, with the features' parts below each heading.

The parts are joined as text: comments stay, and a part may use the core's anchors. Aliases are
replaced by their values, because Java's YAML parser, which generators use, allows 50.
"""

import json
import re
from pathlib import Path
from typing import Any

import yaml

PACKAGE = Path(__file__).parents[1] / "src" / "plantstore"
_NAME = "openapi.yaml"
_HEADING = re.compile(r"^(?=(?:  )?\w+:\n)", re.MULTILINE)  # such as paths:, or a kind of component
_ALIAS = re.compile(r"(?<=[ \[])\*(\w+)(?=\]?$)", re.MULTILINE)


def read_document() -> str:
    """The whole document."""
    sections = _read_sections(PACKAGE / _NAME)
    for part in sorted(PACKAGE.glob(f"features/*/{_NAME}")):
        for heading, text in _read_sections(part).items():
            if text:
                sections[heading] = sections.get(heading, "") + text
    document = "".join(f"{heading}\n{text}" for heading, text in sections.items())
    aliases = "".join(f'"*{name}": *{name}\n' for name in {*_ALIAS.findall(document)})
    values = parse_document(document + aliases)
    return _ALIAS.sub(lambda alias: json.dumps(values[alias[0]]), document)


def parse_document(text: str) -> dict[str, Any]:
    """The document as values."""
    document: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return document


def _read_sections(file: Path) -> dict[str, str]:
    """The text below each heading; a part before the first is below its own first line."""
    parts = _HEADING.split(file.read_text(encoding="utf-8"))
    return {heading: text for heading, _, text in (part.partition("\n") for part in parts)}
