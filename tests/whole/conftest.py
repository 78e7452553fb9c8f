"""The fixtures of the tests of HTTP and of commands."""

from tests.cli.conftest import program
from tests.http.conftest import database_kind, fixture, service

__all__ = ["database_kind", "fixture", "program", "service"]
