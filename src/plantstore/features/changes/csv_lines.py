"""Lines of CSV with changes, as lists have them and as spreadsheets save them.

The first line names the columns: the keys of a change, in any order; others are ignored. No text of
a plant has a line end, so that each line is whole.
"""

import csv
import json

from plantstore.core.cells import read_fields
from plantstore.core.decoding import MAX_LINE
from plantstore.core.errors import PlantStoreError, RequestError
from plantstore.core.model import Caller
from plantstore.features.changes.lines import Change, read_change


class CsvLines:
    """Reads the lines of one body; each has what a line of JSON with its cells would have."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._delimiter = ","

    def read(self, line: bytes, caller: Caller) -> Change | PlantStoreError | None:
        """See ``Read``: the line with the columns is skipped, and those whose cells are empty."""
        if len(line) > MAX_LINE:
            return RequestError(41301)
        try:
            text = line.decode("utf-8-sig")
            if not self._columns:
                self._delimiter = max(",;\t", key=text.count)
            (cells,) = csv.reader([text], delimiter=self._delimiter, strict=True)
            if not self._columns:
                self._columns = [cell.strip().lower() for cell in cells]
                if "id" in self._columns:
                    return None
                return RequestError(
                    40002, reason="the first line must name the columns, including id"
                )
            fields = read_fields(self._columns, cells)
        except (csv.Error, ValueError):
            return RequestError(40002, reason="it is not a line of CSV in UTF-8")
        except RequestError as error:
            return error
        return read_change(json.dumps(fields).encode(), caller) if fields else None
