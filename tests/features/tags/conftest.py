"""Fixtures of tests over HTTP."""

from tests.http.conftest import database_kind, service

__all__ = ["database_kind", "service"]
