"""The map in ARCHITECTURE.md is that of the code."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_layers_are_those_that_are_enforced() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    (line,) = (line for line in ARCHITECTURE.splitlines() if line.startswith("    __main__ >"))
    assert split(line.split(">")) == split(contract["layers"])


def split(layers: list[str]) -> list[set[str]]:
    return [{name.strip() for name in layer.split("|")} for layer in layers]
