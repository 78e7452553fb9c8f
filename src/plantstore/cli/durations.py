"""Parses durations and times of the command line: ``90d``, ``2030-01-31``, ``never``."""

import re
from datetime import UTC, datetime
from datetime import time as datetime_time

import click

from plantstore.core.clock import DAY_MS, now

_TIME_OF_DAY = re.compile("([01][0-9]|2[0-3]):[0-5][0-9]")
_DURATION = re.compile("([1-9][0-9]{0,5})([mhdw])")
_UNIT_MS = {"m": 60_000, "h": 3_600_000, "d": DAY_MS, "w": 7 * DAY_MS}
_LONGEST_MS = 36_500 * DAY_MS


def read_duration(text: str) -> int:
    """The milliseconds of a duration such as ``24h``.

    :raises BadParameter: it is not a duration, or is longer than a century.
    """
    match = _DURATION.fullmatch(text)
    milliseconds = int(match[1]) * _UNIT_MS[match[2]] if match else _LONGEST_MS + 1
    if milliseconds > _LONGEST_MS:
        raise click.BadParameter("write a number with m, h, d or w, such as 90d; at most 36500d")
    return milliseconds


def read_since(_context: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    """The time of a date or an age, or of the last occurrence of a time of day, in UTC."""
    if text is None:
        return None
    if _TIME_OF_DAY.fullmatch(text):
        moment = datetime.combine(datetime.now(UTC), datetime_time.fromisoformat(text), UTC)
        return int(moment.timestamp() * 1000) - DAY_MS * (moment > datetime.now(UTC))
    allowed = "an age such as 24h, or 14:00, or 2030-01-31, or 2030-01-31T08:00:00Z"
    return _read_moment(text, -1, allowed)


def read_expiry(text: str) -> int | None:
    """When a token expires: after a duration, at a date, or never, as None.

    :raises BadParameter: it is none of these, or has passed.
    """
    if text == "never":
        return None
    allowed = "never, or 2030-01-31, or a number with m, h, d or w, such as 90d; at most 36500d"
    expires_at = _read_moment(text, 1, allowed)
    if expires_at <= now():
        raise click.BadParameter(f"{text} has passed: write a later date")
    return expires_at


def _read_moment(text: str, direction: int, allowed: str) -> int:
    """The Unix time in milliseconds of a date, with or without a time, or of a duration from now.

    A date without a zone is in UTC. ``direction`` is 1 for the future, -1 for the past.
    """
    try:
        if "-" not in text[1:]:
            return now() + direction * read_duration(text)
        moment = datetime.fromisoformat(text)
    except (ValueError, click.BadParameter):
        raise click.BadParameter(f"write {allowed}") from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
