"""Fixtures: the program, with a database in a folder of its own."""

from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.test_check import in_folder


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with a database ``data/plants.db``, which has a store and is not in use."""
    return in_folder(tmp_path)
