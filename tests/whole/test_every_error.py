"""Every error of the table is provoked by a test."""

from plantstore.http.errors import TABLE
from tests.features.access.http import test_access_bounds
from tests.features.events.http import test_events
from tests.http import (
    test_errors_bounds,
    test_errors_database,
    test_errors_table,
    test_framing_heads,
    test_refusals,
)

_MODULES = (
    test_access_bounds,
    test_errors_bounds,
    test_errors_database,
    test_errors_table,
    test_events,
    test_framing_heads,
    test_refusals,
)


def test_every_error_of_the_table_is_provoked_by_a_test() -> None:
    provoked = {number for module in _MODULES for number in module.NUMBERS}
    assert provoked == {row.number for row in TABLE}
