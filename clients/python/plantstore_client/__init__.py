"""Plant Store from Python: exact ids, paging, many changes at once, events, and safe retries.

A request that is lost, or that the service asks to send later, is retried; creates are done once.
"""

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from typing import Any, Literal, TypeVar

import httpx

_WAITS = (0.2, 1.0, 5.0, None)  # seconds before each retry
_NOT_FOUND, _IDENTICAL_PLANT, _CHANGED, _OUTCOME_UNKNOWN = 404, 40004, 41201, 50303
_NDJSON = {"Content-Type": "application/x-ndjson"}
_LINES_A_REQUEST, _SILENCE = 1000, 40.0  # seconds; a quiet stream has a comment every 15 s
_T = TypeVar("_T")


class Refused(Exception):  # noqa: N818 - the service works, and says no
    """The service refused. ``error`` is a number; ``line``, for ``change_all``, counts from 1."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.retry_after = float(response.headers.get("Retry-After", 0))
        self.line = int(response.headers.get("Refused-Line", 0)) or None
        try:
            body = json.loads(response.read())
            self.error, self.message = int(body["error"]), str(body["message"])
        except (ValueError, KeyError, TypeError):
            self.error, self.message = 100 * self.status, response.reason_phrase
        super().__init__(f"{self.error}: {self.message}")


@dataclass(frozen=True, slots=True)
class Plant:
    """A plant. ``etag`` identifies its contents as they were read; pass it as ``if_match``."""

    id: int
    name: str
    tag: str | None = None
    etag: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Change:
    """One of many changes; ``delete`` needs only the id."""

    op: Literal["create", "update", "upsert", "delete"]
    id: int
    name: str | None = None
    tag: str | None = None
    if_match: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one change: the status of a single request, and its error, if any."""

    status: int
    etag: str | None = None
    error: int | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One change to the store. Only owners of the store see who made the change."""

    revision: int
    kind: str
    at: str
    plant: Plant
    user: str | None = None
    token_label: str | None = None
    token_id: str | None = None


class PlantStore(AbstractContextManager["PlantStore"]):
    """A store: the token's own, or the store NAME if ``url`` ends in ``/stores/NAME``."""

    def __init__(self, url: str, token: str, *, timeout: float = 30.0) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=f"{url}/", headers=headers, timeout=timeout)

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def create(self, plant: Plant) -> Plant:
        """Create a plant. Refused: 40003, another plant has the id; 40004, it already exists."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return _plant(plant.id, self._send("POST", "plants", json=_data(plant), headers=headers))

    def plants(self, *, tag: str | None = None) -> Iterator[Plant]:
        """Yield plants by id, all or those with a tag; each request reads a page of 1,000."""
        query = {"include": ["id", "etag"], "limit": "1000"} | ({} if tag is None else {"tag": tag})
        return (_read(Plant, plant) for plant in self._pages(httpx.URL("plants", params=query)))

    def export(self, form: str, *, tag: str | None = None) -> Iterator[bytes]:
        """Yield the lines of all plants at one moment, as ``text/csv`` or such a type."""
        query = {} if tag is None else {"tag": tag}
        with self._client.stream("GET", "plants", params=query, headers={"Accept": form}) as listed:
            yield from _read_lines(listed)

    def plant(self, plant_id: int) -> Plant:
        """Read a plant. Refused: 40401, no such plant."""
        return _plant(plant_id, self._send("GET", f"plants/{plant_id}"))

    def update(self, plant: Plant, *, if_match: str | None = None) -> Plant:
        """Replace name and tag. Refused: 40401, no such plant; 41201, ``if_match`` fails."""
        request = {"json": _data(plant), "headers": {"If-Match": if_match} if if_match else {}}
        try:
            return _plant(plant.id, self._send("PUT", f"plants/{plant.id}", **request))
        except Refused as refused:
            if refused.error == _CHANGED and (current := self.plant(plant.id)) == plant:
                return current  # already updated: that response was lost
            raise

    def delete(self, plant_id: int, *, if_match: str | None = None) -> None:
        """Delete a plant. Refused: 40401, no such plant; 41201, ``if_match`` fails."""
        headers = {"If-Match": if_match} if if_match else {}
        self._send("DELETE", f"plants/{plant_id}", headers=headers)

    def change(self, changes: Iterable[Change]) -> Iterator[tuple[Change, Result]]:
        """Make any number of changes, and yield each with its result, in order.

        After an interruption, changes without a result are sent again: a create then counts as done
        if an identical plant exists, and a delete if its plant does not exist.
        """
        rest = iter(changes)
        while portion := list(islice(rest, _LINES_A_REQUEST)):
            yield from self._change_portion(portion)

    def change_all(self, changes: Iterable[Change]) -> list[Result]:
        """Make up to 1,000 changes: all or none. Refused: the change at ``line`` failed."""
        headers = _NDJSON | {"Idempotency-Key": str(uuid.uuid4())}
        done = self._send("POST", "changes?atomic=true", content=_lines(changes), headers=headers)
        return [_read(Result, json.loads(line)) for line in _read_lines(done)]

    def revision(self) -> int:
        """The number of the store's last change, for ``after``."""
        return int(self._send("GET", "events?after=latest").headers["Store-Revision"])

    def events(self, *, after: int | None = None) -> Iterator[Event]:
        """Yield the events after a revision, or all. Refused: 41001, list the plants again."""
        query = {"limit": "1000"} | ({} if after is None else {"after": str(after)})
        return (_event(event) for event in self._pages(httpx.URL("events", params=query)))

    def listen(self, *, after: int | None = None) -> Iterator[Event]:
        """Yield each event after a revision, or from now on, as it happens, for ever."""
        last = self.revision() if after is None else after
        while True:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
            stream = self._client.stream("GET", "events", headers=headers, timeout=_SILENCE)
            try:
                with stream as response:
                    for line in _read_lines(response):
                        if line.startswith(b"data: "):
                            event = _event(json.loads(line.removeprefix(b"data: ")))
                            last = event.revision
                            yield event
            except (httpx.TransportError, Refused) as error:
                _wait(1.0, error)

    def _send(self, method: str, url: str | httpx.URL, **request: Any) -> httpx.Response:  # noqa: ANN401 - httpx's
        waits, is_repeated = iter(_WAITS), False
        while True:
            try:
                response = self._client.request(method, url, **request)
                is_gone = method == "DELETE" and response.status_code == _NOT_FOUND
                return response if is_repeated and is_gone else _checked(response)
            except (httpx.TransportError, Refused) as error:
                _wait(next(waits), error)
                is_repeated |= getattr(error, "error", _OUTCOME_UNKNOWN) == _OUTCOME_UNKNOWN

    def _pages(self, url: httpx.URL) -> Iterator[dict[str, Any]]:
        while True:
            page = self._send("GET", url)
            yield from page.json()
            if "next" not in page.links:
                return
            url = page.url.join(page.links["next"]["url"])

    def _change_portion(self, changes: list[Change]) -> Iterator[tuple[Change, Result]]:
        waits, is_repeated = iter(_WAITS), False
        while changes:
            body: dict[str, Any] = {"content": _lines(changes), "headers": _NDJSON}
            try:
                with self._client.stream("POST", "changes", **body) as response:
                    for line in _read_lines(response):
                        change, result = changes.pop(0), _read(Result, json.loads(line))
                        yield change, _repeated(change, result) if is_repeated else result
            except (httpx.TransportError, Refused) as error:
                _wait(next(waits), error)
                is_repeated = True


def _checked(response: httpx.Response) -> httpx.Response:
    if not response.is_success:
        raise Refused(response)
    return response


def _read_lines(response: httpx.Response) -> Iterator[bytes]:
    """The lines as they arrive; httpx would also split at U+2028, which names may contain."""
    rest = b""
    for part in _checked(response).iter_bytes():
        *lines, rest = (rest + part).split(b"\n")
        yield from lines


def _wait(seconds: float | None, error: Exception) -> None:
    if seconds is None or (isinstance(error, Refused) and error.status not in (429, 503)):
        raise error
    time.sleep(max(seconds, getattr(error, "retry_after", 0.0)))


def _repeated(change: Change, result: Result) -> Result:
    """The result of a change that the previous request may have made."""
    if change.op == "create" and result.error == _IDENTICAL_PLANT:
        return Result(200)
    return Result(204) if change.op == "delete" and result.status == _NOT_FOUND else result


def _data(item: Plant | Change) -> dict[str, Any]:
    return {k: v for k, v in asdict(item).items() if v is not None and k != "etag"}


def _lines(changes: Iterable[Change]) -> bytes:
    return b"".join(json.dumps(_data(change)).encode() + b"\n" for change in changes)


def _read(kind: type[_T], data: Mapping[str, Any]) -> _T:
    """Decode a value; fields that a newer service adds are dropped."""
    return kind(**{f.name: data[f.name] for f in fields(kind) if f.name in data})  # type: ignore[arg-type]


def _plant(plant_id: int, response: httpx.Response) -> Plant:
    etag = response.headers.get("ETag", "").removeprefix("W/").replace("-gzip", "")  # by a proxy
    return _read(Plant, {"id": plant_id, "etag": etag or None} | response.json())


def _event(data: dict[str, Any]) -> Event:
    return _read(Event, data | {"plant": _read(Plant, data["plant"])})
