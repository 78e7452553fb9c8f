"""The map in ARCHITECTURE.md is that of the code."""

import re
import tomllib

from tests.docs import sizes
from tests.docs.sizes import ROOT

ARCHITECTURE = sizes.ARCHITECTURE.read_text(encoding="utf-8")


def test_the_layers_are_those_that_are_enforced() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    (line,) = (line for line in ARCHITECTURE.splitlines() if line.startswith("    __main__ >"))
    assert split(line.split(">")) == split(layers)


def split(layers: list[str]) -> list[set[str]]:
    return [{name.strip() for name in layer.split("|")} for layer in layers]


def test_each_part_is_in_the_table_with_about_its_size() -> None:
    rows = re.findall(r"^\| (\w+) \| .* \| (\d+) \| (\d+) \|$", ARCHITECTURE, re.MULTILINE)
    shown = {name: (int(source), int(tests)) for name, source, tests in rows}
    for name, _, source, tests in sizes.sizes():
        for said, is_now in zip(shown.pop(name), (source, tests), strict=True):
            assert abs(said - is_now) <= max(20, 0.2 * is_now), (name, "run make docs")
    assert not shown
