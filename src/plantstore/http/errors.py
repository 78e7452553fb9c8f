"""The table of errors: their numbers, when they occur, their messages, and the domain's errors.

A number is the HTTP status × 100 + n; it is never reused and never renumbered. The table in the
docs is generated from it. Messages are formatted with the error's details.
"""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from plantstore.core import errors
from plantstore.core.errors import PlantStoreError, RequestError
from plantstore.http.responses import NO_STORE, header_line, json_response
from plantstore.server.messages import Response


class Row(Struct, frozen=True):
    """One error: ``when`` is the docs' text, ``message`` the client's.

    Rows without an ``error`` of the domain are raised as ``RequestError`` with their number.
    """

    number: int
    when: str
    message: str
    error: type[PlantStoreError] | None = None

    @property
    def status(self) -> int:
        return self.number // 100


# fmt: off
TABLE = (
    Row(40001, "the body is not one JSON value in UTF-8",
        "the body must be one JSON value in UTF-8: {reason}"),
    Row(40002, "the body is not a NewPlant (in a PUT: a Plant); the message names the field and the rule",
        "the body must be a plant: {reason}"),
    Row(40003, "the id belongs to another plant",
        "the id {plant_id} belongs to another plant of this store: choose another id, or update that plant", errors.IdTakenError),
    Row(40004, "the id belongs to an identical plant: an earlier attempt succeeded",
        "an identical plant with the id {plant_id} is already in this store", errors.AlreadyStoredError),
    Row(40005, "bad `limit`", "limit {reason}"),
    Row(40006, "bad `after`", "after {reason}"),
    Row(40007, "bad `include`", "include {reason}"),
    Row(40008, "bad `tag`", "tag {reason}"),
    Row(40009, "the path's id is not an int64",
        "the id in the path must be a whole number from -9223372036854775808 to "
        "9223372036854775807, written in plain digits"),
    Row(40010, "bad Idempotency-Key, or the operation takes none", "Idempotency-Key {reason}"),
    Row(40011, "the request is not well-formed HTTP, is incomplete, or repeats a header that must be given once",
        "the request cannot be read: {reason}"),
    Row(40012, "more than 50 query parameters", "there are more than {limit} query parameters: send fewer"),
    Row(40013, "a query parameter of other services, such as `page`, or in other capitals", "the query parameter {reason}"),
    Row(40014, "the body, a precondition or the user in the path is not what the operation takes",
        "this cannot be done: {reason}", errors.InvalidChangeError),
    Row(40101, "no bearer token", "a token is needed: send the header Authorization: Bearer <ACCESS_TOKEN>"),
    Row(40102, "not a valid token: unknown, malformed, expired or revoked",
        "the token is not valid: ask the owner of the store for a new one", errors.InvalidTokenError),
    Row(40301, "the token may not do this",
        "the token may not do this in this store: use one with the scope {scope}, "
        "whose user's role allows it", errors.ForbiddenError),
    Row(40302, "the store is full",
        "the store is full: delete plants, or ask the owner of the service for more room", errors.StoreFullError),
    Row(40303, "the store has as many members or tokens as it may",
        "the store has as many {things} as it may: remove some first", errors.TooMuchAccessError),
    Row(40401, "no such plant", "there is no plant with the id {plant_id} in this store", errors.NoSuchPlantError),
    Row(40402, "no such path", "there is nothing at this path; see /openapi.json, no path of which ends with a slash"),
    Row(40403, "no such store, or the token has no access to it",
        "there is no such store, or the token has no access to it", errors.NoSuchStoreError),
    Row(40404, "no such member", "{subject} is not a member of this store", errors.NoSuchMemberError),
    Row(40405, "no such token", "there is no token with the id {token_id} for this store", errors.NoSuchTokenError),
    Row(40406, "no such link code: unknown, used, expired or revoked",
        "the code is not valid: it was used or has expired; ask for another link"),
    Row(40407, "no such link", "there is no link with the id {link_id} in this store: it was used, revoked or expired",
        errors.NoSuchLinkError),
    Row(40408, "no such webhook", "there is no webhook with the id {webhook_id} in this store",
        errors.NoSuchWebhookError),
    Row(40409, "no such delivery in a webhook's log",
        "the webhook's log has no delivery {delivery}: it keeps the last ones"),
    Row(40501, "method not allowed", "{method} is not allowed on this path; use one of: {allow}"),
    Row(40801, "the body arrived too slowly", "the request's body arrived too slowly: send it again"),
    Row(40802, "the head arrived too slowly", "the request's head arrived too slowly: send it again"),
    Row(40901, "the store would have no owner",
        "{subject} is the last owner of this store: make another member an owner first", errors.LastOwnerError),
    Row(41001, "the requested events are trimmed, or of another history",
        "events after {after} are no longer available: reload the plants, then resume from the new revision"),
    Row(41201, "the plant does not match `If-Match` or `If-None-Match`",
        "the plant {plant_id} does not match If-Match or If-None-Match: reload it, then retry", errors.PreconditionFailedError),
    Row(41202, "a create, or a change of access, has `If-Match` or `If-None-Match`",
        "If-Match and If-None-Match apply to a single plant: omit them here"),
    Row(41301, "body over 64 KiB, or a line of changes over 16 KiB", "the body is over 64 KiB: shorten it"),
    Row(41401, "target over 8 KiB", "the request's target is over 8 KiB: shorten it"),
    Row(41501, "not application/json in UTF-8, or an unsupported encoding",
        "send the body as {wanted} in UTF-8: {reason}"),
    Row(42201, "the Idempotency-Key was used for another request",
        "this Idempotency-Key was used with another request: send a new key with a new request", errors.KeyReusedError),
    Row(42901, "too many requests; `Retry-After` says when to retry", "too many requests: retry in {retry_after} s"),
    Row(43101, "head over 16 KiB or 100 headers, or too much overhead in a chunked body",
        "the request's head is over 16 KiB or 100 headers, or its chunks are too small: shorten it"),
    Row(50001, "internal error", "the service failed; its log has the cause under this response's X-Request-Id"),
    Row(50101, "unknown HTTP method", "this is not a method of HTTP: see /openapi.json"),
    Row(50301, "overloaded; nothing was done", "the service is overloaded, nothing was done: try again soon",
        errors.OverloadedError),
    Row(50302, "database not available, nothing was written",
        "the database is not available, nothing was written: try again soon", errors.DatabaseUnavailableError),
    Row(50303, "connection lost while committing: outcome unknown",
        "the database failed while committing, the outcome is unknown: read what is there, "
        "or send a create again with its Idempotency-Key", errors.OutcomeUnknownError),
    Row(50501, "unsupported HTTP version", "this version of HTTP is not supported: use HTTP/1.1"),
)
# fmt: on

_TOO_MANY = 42901
_BY_NUMBER = {row.number: row for row in TABLE}
_NUMBERS = {row.error: row.number for row in TABLE}
_CHALLENGES = {
    40101: "",
    40102: ', error="invalid_token"',
    40301: ', error="insufficient_scope", scope="{scope}"',
}
# Details that are also sent as headers, for programs.
_HEADERS = ("allow", "accept", "accept_encoding", "refused_line")


class ErrorBody(Struct, frozen=True):
    """The Error schema of the interface."""

    error: int
    message: str


@lru_cache(maxsize=1000)
def numbered_response(number: int, **details: object) -> Response:
    """The response to the error with this number and these details; the last 1,000 are cached."""
    return _make_response(number, details, None)


def describe_error(error: PlantStoreError) -> ErrorBody:
    """The table's number and message for an error."""
    number = _number_of(error)
    return ErrorBody(number, _BY_NUMBER[number].message.format(**error.details))


def error_response(error: PlantStoreError, message: object = None) -> Response:
    """The table's response to an error; ``message`` replaces the table's."""
    number = _number_of(error)
    if number == _TOO_MANY or not (message or error.details):
        return numbered_response(number, **error.details)
    return _make_response(number, error.details, message)


def _number_of(error: PlantStoreError) -> int:
    if isinstance(error, RequestError):
        return error.number
    kinds = (kind for kind in type(error).__mro__ if kind in _NUMBERS)
    return _NUMBERS[next(kinds, type(error))]  # a LookupError, if the table lacks the error


def _make_response(number: int, details: Mapping[str, object], message: object) -> Response:
    row = _BY_NUMBER[number]
    headers = NO_STORE  # else browsers cache a 404 or a 410
    if number in _CHALLENGES:
        challenge = 'Bearer realm="plants"' + _CHALLENGES[number].format(**details)
        headers += header_line("WWW-Authenticate", challenge.encode())
    for name in _HEADERS:
        if name in details:
            headers += header_line(name.replace("_", "-").title(), str(details[name]).encode())
    if row.status in (429, 503):  # by default after a second: a commit takes milliseconds
        headers += header_line("Retry-After", str(details.get("retry_after", 1)).encode())
    body = ErrorBody(number, str(message or row.message.format(**details)))
    return replace(json_response(row.status, body, headers), error=number)
