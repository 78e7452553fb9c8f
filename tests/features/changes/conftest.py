"""Fixtures of tests over HTTP."""

from tests.http.conftest import database_kind, fixture, service

__all__ = ["database_kind", "fixture", "service"]
