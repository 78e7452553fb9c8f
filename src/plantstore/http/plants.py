"""The operations on one plant over HTTP: create, read, replace, delete.

Checks run in this order: token, store, permission, rate, then the request's contents.
"""

from binascii import hexlify

from plantstore.core.database import Database
from plantstore.core.decoding import decode_new_plant, decode_plant
from plantstore.core.errors import NoSuchPlantError, PreconditionFailedError, RequestError
from plantstore.core.model import (
    INT64_MAX,
    INT64_MIN,
    TAG_BYTES,
    NewPlant,
    Outcome,
    Plant,
    Scope,
    contents_of,
    digest_of,
    entity_tag_of,
)
from plantstore.core.operations import Create, Delete, Update, explain
from plantstore.http.authentication import Authentication
from plantstore.http.list_parameters import read_integer
from plantstore.http.responses import (
    JSON,
    NO_STORE,
    STATUS_LINES,
    encode,
    header_line,
    json_response,
    make_response,
    revision_line,
)
from plantstore.http.write_headers import (
    JSON_TYPE,
    REPLAYED,
    check_media_type,
    read_key,
    read_precondition,
)
from plantstore.server.messages import HeaderLines, Request, Response

# A client revalidates its copy each time, and gets a 304 if nothing has changed.
_CACHING = b"Cache-Control: private, no-cache\r\nVary: Authorization\r\n"
_MAX_SHORT = 2048  # bytes of a body whose decoding is never long
# To look up a member in its enumeration takes 0.2 µs on Python 3.11.
_CREATED = STATUS_LINES[200] + JSON + NO_STORE + b'ETag: "%s"\r\nLocation: plants/%d\r\n'
_CREATED += b"Store-Revision: %d\r\n%sContent-Length: %d\r\n"
_DELETED = STATUS_LINES[204] + b"Store-Revision: %d\r\n"
_CREATE, _DELETE = Scope.CREATE, Scope.DELETE
_WAS_CREATED, _WAS_REPLAYED, _WAS_DELETED = Outcome.CREATED, Outcome.REPLAYED, Outcome.DELETED


class PlantOperations:
    """Create, read, replace and delete, in any store."""

    def __init__(self, database: Database, authentication: Authentication) -> None:
        self._database = database
        self._authentication = authentication

    async def create(self, request: Request, store_name: str | None = None) -> Response:
        caller = await self._authentication.admit_write(request, store_name, _CREATE)
        headers = request.headers
        if headers.get(b"content-type") != JSON_TYPE or b"content-encoding" in headers:
            check_media_type(headers)
        body = request.body
        if not isinstance(body, bytes) or len(body) > _MAX_SHORT:
            body = await self._authentication.read_body(request)
        plant = decode_new_plant(body)
        digest = digest_of(plant)
        key = None
        if b"idempotency-key" in headers or b"if-match" in headers or b"if-none-match" in headers:
            key = read_key(headers, digest)
        write = Create(caller.store_id, caller, plant, None, key)
        outcome, revision = await self._database.write(write)
        if outcome is not _WAS_CREATED and outcome is not _WAS_REPLAYED:
            raise explain(outcome, write)
        content, tag = encode(Plant(*contents_of(plant))), hexlify(digest[:TAG_BYTES])
        replayed = REPLAYED if outcome is _WAS_REPLAYED else b""
        return Response(_CREATED % (tag, plant.id, revision, replayed, len(content)), content)

    async def delete(
        self, request: Request, plant_id: str, store_name: str | None = None
    ) -> Response:
        caller = await self._authentication.admit_write(request, store_name, _DELETE)
        condition = read_precondition(request.headers)
        write = Delete(caller.store_id, caller, _read_id(plant_id), condition)
        outcome, revision = await self._database.write(write)
        if outcome is not _WAS_DELETED:
            raise explain(outcome, write)
        return Response(_DELETED % revision)

    async def read(
        self, request: Request, plant_id: str, store_name: str | None = None
    ) -> Response:
        """Read the plant; 304 if the client already has it."""
        caller = await self._authentication.admit(request, store_name, Scope.LIST)
        condition, number = read_precondition(request.headers), _read_id(plant_id)
        plant = await self._database.find_plant(caller.store_id, number)
        if plant is None:
            raise NoSuchPlantError(plant_id=number)
        if condition is not None and not condition.matches(entity_tag_of(plant)):
            raise PreconditionFailedError(plant_id=number)
        headers = _make_etag(plant) + _CACHING
        if condition is not None and condition.excludes(entity_tag_of(plant)):
            return make_response(304, headers)
        return json_response(200, Plant(*contents_of(plant)), headers)

    async def replace(
        self, request: Request, plant_id: str, store_name: str | None = None
    ) -> Response:
        caller = await self._authentication.admit_write(request, store_name, Scope.UPDATE)
        number = _read_id(plant_id)
        check_media_type(request.headers)
        plant = decode_plant(await self._authentication.read_body(request), number)
        write = Update(caller.store_id, caller, plant, read_precondition(request.headers))
        outcome, revision = await self._database.write(write)
        if outcome not in (Outcome.UPDATED, Outcome.UNCHANGED):
            raise explain(outcome, write)
        lines = _make_etag(plant) + NO_STORE + revision_line(revision)
        return json_response(200, Plant(*contents_of(plant)), lines)


def _read_id(text: str) -> int:
    """The id in a path.

    :raises RequestError: it is not an int64.
    """
    plant_id = read_integer(text)
    if plant_id is None or not INT64_MIN <= plant_id <= INT64_MAX:
        raise RequestError(40009)
    return plant_id


def _make_etag(plant: NewPlant) -> HeaderLines:
    return header_line("ETag", f'"{entity_tag_of(plant)}"'.encode())
