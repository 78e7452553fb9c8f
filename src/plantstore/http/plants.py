"""The three operations over HTTP: create, list, delete.

Checks run in this order: token, store, permission, rate, then the request's contents.
"""

from plantstore import operations
from plantstore.database import Database
from plantstore.errors import RequestError
from plantstore.http.authentication import Authentication
from plantstore.http.bulk import BulkCreates, is_ndjson
from plantstore.http.list_parameters import read_integer
from plantstore.http.lists import PlantLists
from plantstore.http.new_plant import (
    JSON_TYPE,
    check_media_type,
    decode_new_plant,
    make_key,
    read_key,
)
from plantstore.http.preconditions import read_precondition, refuse_precondition
from plantstore.http.responses import NO_STORE, json_response, make_response
from plantstore.model import INT64_MAX, INT64_MIN, Caller, Plant, Scope
from plantstore.server.messages import Request, Response, Stream

MAX_BODY = 64 * 1024
_REPLAYED = NO_STORE + b"Idempotent-Replayed: true\r\n"


class PlantOperations:
    """The operations of all stores."""

    def __init__(
        self,
        database: Database,
        authentication: Authentication,
        lists: PlantLists,
        bulk: BulkCreates,
    ) -> None:
        self._database = database
        self._authentication = authentication
        self._lists = lists
        self._bulk = bulk

    async def list_plants(
        self, request: Request, store_name: str | None = None
    ) -> Response | Stream:
        """List the plants that match the query."""
        caller = await self._authentication.admit(request, store_name, Scope.LIST)
        return await self._lists.respond(request, caller)

    async def create(self, request: Request, store_name: str | None = None) -> Response | Stream:
        """Create the plant in the body, or many."""
        if request.headers.get(b"content-type") != JSON_TYPE and is_ndjson(request.headers):
            caller = await self._authentication.admit(request, store_name, Scope.CREATE)
            return await self._bulk.create(request, caller)
        return await self._authentication.write(request, store_name, Scope.CREATE, self._create)

    async def _create(self, request: Request, caller: Caller) -> Response:
        check_media_type(request.headers)
        body = request.body
        if not isinstance(body, bytes):
            body = await body.read(MAX_BODY)
        key = read_key(request.headers)
        plant = decode_new_plant(body)
        once = None if key is None else make_key(key, plant, body)
        refuse_precondition(request.headers)
        is_replay = await operations.create_plant(self._database, caller, plant, once)
        headers = _REPLAYED if is_replay else NO_STORE
        return json_response(200, Plant(plant.name, plant.tag), headers)

    async def delete(
        self, request: Request, plant_id: str, store_name: str | None = None
    ) -> Response:
        """Delete the plant with this id."""
        delete = self._delete
        return await self._authentication.write(request, store_name, Scope.DELETE, delete, plant_id)

    async def _delete(self, request: Request, caller: Caller, plant_id: str) -> Response:
        condition = read_precondition(request.headers)
        await operations.delete_plant(self._database, caller, read_id(plant_id), condition)
        return make_response(204, b"")


def read_id(text: str) -> int:
    """The id in a path.

    :raises RequestError: it is not an int64.
    """
    plant_id = read_integer(text)
    if plant_id is None or not INT64_MIN <= plant_id <= INT64_MAX:
        raise RequestError(40009)
    return plant_id
