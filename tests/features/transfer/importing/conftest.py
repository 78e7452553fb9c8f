"""Fixtures: the program on the database of the running service, of each kind."""

from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.service import Service


@pytest.fixture
def program(service: Service, tmp_path: Path, token: str) -> Program:
    """The program; ``token`` creates the store of the test."""
    assert token
    return Program(tmp_path, {"PLANTSTORE_DATABASE": service.database})
