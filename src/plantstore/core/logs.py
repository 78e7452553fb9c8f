"""Logs: one line per event on stderr, as text for people or as JSON for machines.

A record may have fields: ``extra={"fields": {...}}``. Clients may choose their values, so values
are escaped: none can end a line or imitate another field.
"""

import json
import logging
import re
import syslog
import time

import msgspec

_PLAIN = re.compile(r"[\w.~:/+*@{}%-]+", re.ASCII)


def set_up_logs(log_format: str) -> None:
    """Send all log records to stderr; ``log_format`` is ``text`` or ``json``."""
    handler = logging.StreamHandler()
    text = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter(text))
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)


def administration_logger() -> logging.Logger:
    """The logger for changes to access and stores, which also writes to the system's log."""
    logger = logging.getLogger("plantstore.security.administration")
    if not logger.handlers:
        logger.addHandler(_SystemLog())
        logger.setLevel(logging.INFO)
    return logger


class _Formatter(logging.Formatter):
    """Times are in ISO 8601, UTC."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"


class TextFormatter(_Formatter):
    """A message with its fields as ``key=value``; a value that is not plain is a JSON string."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line, without the traceback."""
        fields = getattr(record, "fields", {})
        pairs = [f" {key}={_to_text(value)}" for key, value in fields.items()]
        return super().formatMessage(record) + "".join(pairs)


class _SystemLog(logging.Handler):
    """The system's log, with the name ``plantstore`` and the facility for authorisation."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(TextFormatter("%(name)s: %(message)s"))
        syslog.openlog("plantstore", syslog.LOG_PID, syslog.LOG_AUTH)

    def emit(self, record: logging.LogRecord) -> None:
        syslog.syslog(syslog.LOG_INFO, self.format(record))


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


class JsonFormatter(_Formatter):
    """One JSON object per record: ``time``, ``level``, ``logger``, ``message``, ``process``.

    Its fields follow, and ``error`` if an exception was logged.
    """

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()
