"""Each log record is one line, whatever its fields contain."""

import json
import logging

import pytest

from plantstore.core.logs import JsonFormatter, TextFormatter

HOSTILE = ("a b", 'a"b', "a=b c=d", "a\r\nINFO b", "\x1b[31m", "\u2028\x85\x9b", "", "ä", "\udc80")


def make_record(**fields: object) -> logging.LogRecord:
    record = logging.makeLogRecord({"name": "plantstore.test", "msg": "tested"})
    record.fields = fields
    return record


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_is_quoted_in_text_logs(value: str) -> None:
    line = TextFormatter("%(name)s: %(message)s").format(make_record(before=1, x=value, after=2))
    assert line.isascii()
    assert line.isprintable()
    assert line.startswith("plantstore.test: tested before=1 x=")
    written = line.partition("x=")[2].removesuffix(" after=2")
    assert json.loads(written) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("/plants/{id}", "/plants/{id}"),
        ("2001:db8::1", "2001:db8::1"),
        (0.25, "0.25"),
        (True, "true"),
    ],
)
def test_a_plain_value_is_not_quoted_in_text_logs(value: object, written: str) -> None:
    assert TextFormatter("%(message)s").format(make_record(x=value)) == f"tested x={written}"


@pytest.mark.parametrize("value", HOSTILE[:-1])
def test_a_hostile_value_is_escaped_in_json_logs(value: str) -> None:
    line = JsonFormatter().format(make_record(x=value, y=1.5))
    assert "\n" not in line
    assert json.loads(line).items() >= {"message": "tested", "x": value, "y": 1.5}.items()
