"""ARCHITECTURE.md matches the code."""

import re
import tomllib

from tests.docs import sizes
from tests.docs.sizes import ROOT

ARCHITECTURE = sizes.ARCHITECTURE.read_text(encoding="utf-8")


def test_the_documented_layers_are_the_enforced_layers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    (line,) = (line for line in ARCHITECTURE.splitlines() if line.startswith("    __main__ >"))
    assert split(line.split(">")) == split(layers)


def split(layers: list[str]) -> list[set[str]]:
    return [{name.strip() for name in layer.split("|")} for layer in layers]


def test_the_table_has_each_part_with_its_approximate_size() -> None:
    rows = re.findall(r"^\| (\w+) \| .* \| (\d+) \| (\d+) \|$", ARCHITECTURE, re.MULTILINE)
    documented = {name: (int(source), int(tests)) for name, source, tests in rows}
    for name, _, source, tests in sizes.sizes():
        for size, actual in zip(documented.pop(name), (source, tests), strict=True):
            assert abs(size - actual) <= max(20, 0.2 * actual), (name, "run make docs")
    assert not documented
