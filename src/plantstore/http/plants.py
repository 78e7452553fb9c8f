"""The three operations over HTTP: create, list, delete.

Checks run in this order: token, store, permission, rate, then what the request itself says.
"""

import time
from contextlib import nullcontext

from plantstore import operations
from plantstore.database import Database
from plantstore.http.answers import NO_STORE, Answer, Stream, answer_json
from plantstore.http.errors import MethodNotAllowedError
from plantstore.http.idempotency import RunningKeys, read_key
from plantstore.http.lists import PlantLists
from plantstore.http.media_type import check_media_type
from plantstore.http.new_plant import decode_new_plant
from plantstore.http.parameters import PlantsPath, read_plant_id
from plantstore.http.rates import Rates
from plantstore.http.request import Request
from plantstore.model import Caller, Plant, Scope
from plantstore.settings import Settings

_PROMPT_SECONDS = 0.01
COLLECTION_METHODS = "GET, HEAD, POST, OPTIONS"
PLANT_METHODS = "DELETE, OPTIONS"


class PlantOperations:
    """The operations of all stores."""

    def __init__(self, database: Database, settings: Settings, rates: Rates) -> None:
        self._database = database
        self._lists = PlantLists(database, settings.cache_size)
        self._rates = rates
        self._running = RunningKeys()

    def find_proved(self, request: Request) -> Answer | None:
        """The answer to a request that was answered before, if nothing has changed since."""
        return None if self._rates.are_limited else self._lists.find_proved(request)

    async def answer(self, request: Request, path: PlantsPath) -> Answer | Stream:
        """The answer to a request for one of the operations' paths."""
        match request.method, path.plant_id:
            case (("GET" | "HEAD"), None):
                return await self._list(request, path)
            case "POST", None:
                return await self._create(request, path)
            case "DELETE", str(plant_id):
                return await self._delete(request, path, plant_id)
        raise MethodNotAllowedError(method=request.method, allow=allowed_methods(path))

    async def _list(self, request: Request, path: PlantsPath) -> Answer | Stream:
        caller = await self._admit(request, path, Scope.LIST)
        return await self._lists.answer(request, path, caller)

    async def _create(self, request: Request, path: PlantsPath) -> Answer:
        caller = await self._admit(request, path, Scope.CREATE)
        check_media_type(request.headers)
        begun = time.monotonic()
        body = await request.read_body()
        if time.monotonic() - begun > _PROMPT_SECONDS:
            # Much can happen while a body comes slowly: the token may be revoked since.
            caller = await self._identify(request, path, Scope.CREATE)
        key = read_key(request.headers, body)
        plant = decode_new_plant(body)
        with nullcontext() if key is None else self._running.only(caller, key):
            await operations.create_plant(self._database, caller, plant, key)
        return answer_json(200, Plant(plant.name, plant.tag), [NO_STORE])

    async def _delete(self, request: Request, path: PlantsPath, plant_id: str) -> Answer:
        caller = await self._admit(request, path, Scope.DELETE)
        await operations.delete_plant(self._database, caller, read_plant_id(plant_id))
        return Answer(204, [])

    async def _admit(self, request: Request, path: PlantsPath, scope: Scope) -> Caller:
        caller = await self._identify(request, path, scope)
        self._rates.check(caller.user_id)
        return caller

    async def _identify(self, request: Request, path: PlantsPath, scope: Scope) -> Caller:
        token = request.read_token()
        caller = await operations.authenticate(self._database, token, path.store_name)
        operations.authorise(caller, scope)
        return caller


def allowed_methods(path: PlantsPath) -> str:
    """The value of the Allow header."""
    return COLLECTION_METHODS if path.plant_id is None else PLANT_METHODS
