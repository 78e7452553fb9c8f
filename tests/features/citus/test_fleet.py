"""The upgrade of ``tests/postgres/test_fleet.py``, on distributed tables."""

from tests.postgres.test_fleet import test_an_upgrade_with_a_migration_fails_no_request

__all__ = ["test_an_upgrade_with_a_migration_fails_no_request"]
