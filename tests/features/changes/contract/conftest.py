"""Fixtures of the contract suite, for each kind of database."""

from tests.conftest import database_kind
from tests.contract.conftest import administration, harness, url

__all__ = ["administration", "database_kind", "harness", "url"]
