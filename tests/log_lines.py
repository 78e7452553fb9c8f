"""A service with a log that tests read line by line."""

import json
from typing import Any

from tests.service import Service

Record = dict[str, Any]


class LoggingService(Service):
    """A service with logs as JSON."""

    def __init__(self, *arguments: Any, settings: dict[str, object], **more: Any) -> None:  # noqa: ANN401 - as a service has them
        super().__init__(*arguments, settings={"log_format": "json", **settings}, **more)
        self._read = 0

    def records(self, logger: str) -> list[Record]:
        """The records of ``plantstore.<logger>`` since the last call."""
        lines = self.log().splitlines()
        new, self._read = lines[self._read :], len(lines)
        records = [json.loads(line) for line in new]
        return [record for record in records if record["logger"] == f"plantstore.{logger}"]

    def record(self, logger: str) -> Record:
        """Like ``records``, if there is exactly one."""
        (record,) = self.records(logger)
        return record
