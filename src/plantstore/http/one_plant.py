"""One plant over HTTP, by its id: read it, replace it.

Checks run in the order of the three operations.
"""

from plantstore.core import operations
from plantstore.core.database import Database
from plantstore.core.decoding import decode_plant
from plantstore.core.model import NewPlant, Plant, Scope, contents_of, entity_tag_of
from plantstore.http.authentication import Authentication
from plantstore.http.new_plant import check_media_type
from plantstore.http.plants import MAX_BODY, read_id
from plantstore.http.preconditions import read_precondition
from plantstore.http.responses import (
    NO_STORE,
    REVALIDATED,
    header_line,
    json_response,
    make_response,
)
from plantstore.server.messages import HeaderLines, Request, Response


class OnePlant:
    """The operations on one plant of any store."""

    def __init__(self, database: Database, authentication: Authentication) -> None:
        self._database = database
        self._authentication = authentication

    async def read(
        self, request: Request, plant_id: str, store_name: str | None = None
    ) -> Response:
        """Read the plant; 304 if the client has it already."""
        caller = await self._authentication.admit(request, store_name, Scope.LIST)
        condition = read_precondition(request.headers)
        plant = await operations.read_plant(self._database, caller, read_id(plant_id), condition)
        headers = _make_etag(plant) + REVALIDATED
        if condition is not None and condition.excludes(entity_tag_of(plant)):
            return make_response(304, headers)
        return json_response(200, Plant(*contents_of(plant)), headers)

    async def replace(
        self, request: Request, plant_id: str, store_name: str | None = None
    ) -> Response:
        """Replace the plant by the one in the body."""
        caller = await self._authentication.admit_write(request, store_name, Scope.UPDATE)
        number = read_id(plant_id)
        check_media_type(request.headers)
        body = request.body
        if not isinstance(body, bytes):
            body = await body.read(MAX_BODY)
        plant = decode_plant(body, number)
        condition = read_precondition(request.headers)
        await operations.update_plant(self._database, caller, plant, condition)
        return json_response(200, Plant(*contents_of(plant)), _make_etag(plant) + NO_STORE)


def _make_etag(plant: NewPlant) -> HeaderLines:
    return header_line("ETag", f'"{entity_tag_of(plant)}"'.encode())
