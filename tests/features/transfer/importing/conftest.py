"""Fixtures: the program on the running service's database, each kind of it."""

from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.service import Service


@pytest.fixture
def program(service: Service, tmp_path: Path, token: str) -> Program:
    """The program; ``token`` makes the test's store."""
    assert token
    return Program(tmp_path, {"PLANTSTORE_DATABASE": service.database})
