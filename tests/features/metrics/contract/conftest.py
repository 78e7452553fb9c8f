"""Fixtures of the contract suite."""

from tests.contract.conftest import administration, harness, url

__all__ = ["administration", "harness", "url"]
