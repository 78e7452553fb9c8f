"""Every error of the table is in the document, and is caused by a test."""

import re

from building.document import parse_document, read_document
from plantstore.http.errors import TABLE
from tests.features.access.http import test_access_bounds
from tests.features.events.http import test_events
from tests.features.webhooks import test_webhooks
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
    test_webhooks,
)


def test_the_document_has_every_error_and_no_other() -> None:
    text = read_document()
    document = parse_document(text)
    of_any_path = set(re.findall("number ([0-9]{5})", document["info"]["description"]))
    of_responses = set(re.findall("#/components/examples/e([0-9]{5})", text))
    assert of_responses | of_any_path == {str(row.number) for row in TABLE}
    examples = document["components"]["examples"]
    assert all(name == f"e{each['value']['error']}" for name, each in examples.items())


def test_every_error_of_the_table_is_caused_by_a_test() -> None:
    caused = {number for module in _MODULES for number in module.NUMBERS}
    assert caused == {row.number for row in TABLE}
