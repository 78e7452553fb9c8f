"""The plants of a store behind a service, with the methods of ``DatabaseStore``."""

from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus
from typing import Literal

import msgspec
from msgspec.structs import asdict
from plantstore_client import Change as Line
from plantstore_client import PlantStore, Refused

from plantstore.core.errors import SetupError
from plantstore.core.model import NewPlant, entity_tag_of
from plantstore.features.transfer.stores import Refusals
from plantstore.http.errors import ErrorBody
from plantstore.sql.changes import Change

_NO_SUCH_PLANT = 40401

_decode = msgspec.json.Decoder(NewPlant).decode


class RemoteStore:
    """A store behind a service; its ``name`` is its address."""

    def __init__(self, client: PlantStore, name: str) -> None:
        self.name = self.identity = name
        self._client = client

    def list_plants(self, tag: str | None) -> Iterator[NewPlant]:
        return map(_decode, self._client.export("application/x-ndjson", tag=tag))

    def find(self, plant_id: int) -> NewPlant | None:
        try:
            plant = self._client.plant(plant_id)
        except Refused as refused:
            if refused.error == _NO_SUCH_PLANT:
                return None
            raise
        return msgspec.convert(plant, NewPlant, from_attributes=True)

    def find_each(self, ids: Iterable[int]) -> Iterator[NewPlant | None]:
        """See ``DatabaseStore``; from one list."""
        listed = self.list_plants(None)
        plant = next(listed, None)
        for plant_id in ids:
            while plant is not None and plant.id < plant_id:
                plant = next(listed, None)
            yield plant if plant is not None and plant.id == plant_id else None

    def find_highest_id(self) -> int | None:
        return max((plant.id for plant in self.list_plants(None)), default=None)

    def find_room(self) -> None:
        """See ``DatabaseStore``: unknown here."""

    def find_deleted(self, plant_id: int) -> NewPlant | None:
        plant = None
        for event in self._client.events():
            if event.kind == "plant.deleted" and event.plant.id == plant_id:
                plant = msgspec.convert(event.plant, NewPlant, from_attributes=True)
        return plant

    def write(
        self, _command: str, changes: Sequence[Change], *, is_atomic: bool = True
    ) -> Refusals:
        lines = [_to_line(change) for change in changes]
        if is_atomic:  # with an Idempotency-Key, so that a retry gets a lost response
            self._client.change_all(lines)
            return [None] * len(lines)
        refusals: Refusals = []
        for _, result in self._client.change(lines):
            if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise SetupError(f"{result.message} ({result.error})")
            refusals.append(ErrorBody(result.error, str(result.message)) if result.error else None)
        return refusals

    def log(self, _command: str, **_changed: object) -> None:
        """Nothing to do: the service has its own logs."""


def _to_line(change: Change) -> Line:
    condition = None if change.before is None else f'"{entity_tag_of(change.before)}"'
    if change.after is None:
        return Line("delete", change.plant.id, if_match=condition)
    op: Literal["create", "update"] = "create" if change.before is None else "update"
    return Line(op, **asdict(change.after), if_match=condition)
