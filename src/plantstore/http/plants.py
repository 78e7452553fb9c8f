"""The three operations over HTTP: create, list, delete.

Checks run in this order: token, store, permission, rate, then what the request itself says.
"""

from plantstore import operations
from plantstore.database import Database
from plantstore.errors import RequestError
from plantstore.http.authentication import Authentication
from plantstore.http.lists import PlantLists
from plantstore.http.new_plant import check_media_type, decode_new_plant, read_key
from plantstore.http.parameters import PlantsPath, read_plant_id
from plantstore.http.responses import NO_STORE, json_response
from plantstore.model import Plant, Scope
from plantstore.server.messages import Request, Response, Stream, make_response

MAX_BODY = 64 * 1024
COLLECTION_METHODS = "GET, HEAD, POST, OPTIONS"
PLANT_METHODS = "DELETE, OPTIONS"


class PlantOperations:
    """The operations of all stores."""

    def __init__(
        self, database: Database, authentication: Authentication, lists: PlantLists
    ) -> None:
        self._database = database
        self._authentication = authentication
        self._lists = lists

    async def respond(self, request: Request, path: PlantsPath) -> Response | Stream:
        """The response to a request for one of the operations' paths."""
        match request.method, path.plant_id:
            case (("GET" | "HEAD"), None):
                return await self._list(request, path)
            case "POST", None:
                return await self._create(request, path)
            case "DELETE", str(plant_id):
                return await self._delete(request, path, plant_id)
        raise RequestError(40501, method=request.method, allow=allowed_methods(path))

    async def _list(self, request: Request, path: PlantsPath) -> Response | Stream:
        caller = await self._authentication.admit(request, path, Scope.LIST)
        return await self._lists.respond(request, caller)

    async def _create(self, request: Request, path: PlantsPath) -> Response:
        caller = await self._authentication.admit(request, path, Scope.CREATE)
        check_media_type(request.headers)
        if not request.body.is_complete:
            body = await request.body.read(MAX_BODY)
            # Much can happen while a body comes slowly: the token may be revoked since.
            caller = await self._authentication.identify(request, path, Scope.CREATE)
        else:
            body = await request.body.read(MAX_BODY)
        key = read_key(request.headers, body)
        plant = decode_new_plant(body)
        await operations.create_plant(self._database, caller, plant, key)
        return json_response(200, Plant(plant.name, plant.tag), NO_STORE)

    async def _delete(self, request: Request, path: PlantsPath, plant_id: str) -> Response:
        caller = await self._authentication.admit(request, path, Scope.DELETE)
        await operations.delete_plant(self._database, caller, read_plant_id(plant_id))
        return make_response(204, b"")


def allowed_methods(path: PlantsPath) -> str:
    """The value of the Allow header."""
    return COLLECTION_METHODS if path.plant_id is None else PLANT_METHODS
