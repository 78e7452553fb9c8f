"""Fixtures of the contract suite, with the feature's administration."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.contract.conftest import harness, url
from tests.features.access.administration import Administration, open_administration

__all__ = ["harness", "url"]


@pytest.fixture
def administration(url: str) -> Iterator[Administration]:
    with closing(open_administration(url)) as administration:
        yield administration
