"""From lines to plants: CSV, or NDJSON with a NewPlant a line, by the interface's own rules.

Invariant: each line of a plant gives the plant, or the error that the interface would answer.
"""

from collections.abc import Iterator
from itertools import chain

from plantstore.errors import RequestError, SetupError
from plantstore.http.new_plant import decode_new_plant, parse_json, to_new_plant
from plantstore.model import NewPlant
from plantstore.transfer.records import Line, read_csv
from plantstore.transfer.source import Source


def read_plants(source: Source, *, with_ids: bool) -> Iterator[Line]:
    """The plants of a file; without ids, each has the id 0, whatever the file says.

    :raises SetupError: the file as a whole cannot be read.
    """
    lines = source.lines()
    head: list[str] = []
    for line in lines:
        head.append(line)
        if line.strip():
            break
    first = head[-1].lstrip()[:1] if head else ""
    if first == "[":
        raise SetupError(f"{source.name} is a JSON array: write a plant a line; `jq -c .[]` does")
    if first == "{":
        yield from _read_ndjson(chain(head, lines), with_ids=with_ids)
    elif first:
        yield from read_csv(chain(head, lines), head[-1], source.name, with_ids=with_ids)


def _read_ndjson(lines: Iterator[str], *, with_ids: bool) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            body = line.strip().encode("utf-8", "surrogateescape")
            yield number, _decode(body, with_ids=with_ids)


def _decode(body: bytes, *, with_ids: bool) -> NewPlant | RequestError:
    try:
        if with_ids:
            return decode_new_plant(body)
        fields = parse_json(body)
        return to_new_plant(fields | {"id": 0} if isinstance(fields, dict) else fields)
    except RequestError as error:
        return error
