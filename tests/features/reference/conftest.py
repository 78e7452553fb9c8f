"""Fixtures of tests of pages."""

from tests.features.page.conftest import driver, open_page, owner, service, tabs

__all__ = ["driver", "open_page", "owner", "service", "tabs"]
