"""Fixtures of tests of commands."""

from tests.cli.conftest import program

__all__ = ["program"]
