"""The one table of errors: number, exception, message and when it happens.

A number is the HTTP status × 100 + n; it is never reused and never renumbered. The docs' table is
made from this one. Messages are formatted with the exception's details.
"""

from msgspec import Struct

from plantstore import errors
from plantstore.errors import PlantStoreError


class BodyNotJsonError(PlantStoreError):
    """Details: ``fault``."""


class BadLimitError(PlantStoreError):
    """Details: ``fault``."""


class BadCursorError(PlantStoreError):
    """Details: ``fault``."""


class BadFieldsError(PlantStoreError):
    """Details: ``fault``."""


class BadTagError(PlantStoreError):
    """Details: ``fault``."""


class BadPlantIdError(PlantStoreError):
    """The path's id is no int64."""


class BadIdempotencyKeyError(PlantStoreError):
    """The Idempotency-Key header has another form."""


class MalformedRequestError(PlantStoreError):
    """Details: ``fault``."""


class NoSuchPathError(PlantStoreError):
    """No route has this path."""


class MethodNotAllowedError(PlantStoreError):
    """Details: ``method``, ``allow`` (the Allow header's value)."""


class SlowBodyError(PlantStoreError):
    """The body's deadline is over."""


class SlowHeadError(PlantStoreError):
    """The head's deadline is over."""


class BodyTooLargeError(PlantStoreError):
    """The body is over the bound."""


class TargetTooLongError(PlantStoreError):
    """The request's target is over the bound."""


class HeadTooLargeError(PlantStoreError):
    """The head is over the bounds."""


class UnsupportedMediaTypeError(PlantStoreError):
    """Details: ``fault``."""


class InternalError(PlantStoreError):
    """Our fault; the cause is in the log under the request's id."""


class Row(Struct, frozen=True):
    """One error: ``when`` is the docs' text, ``message`` what a client is told."""

    number: int
    error: type[PlantStoreError]
    when: str
    message: str

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.number // 100


TABLE = (
    Row(
        40001,
        BodyNotJsonError,
        "the body is not one JSON value in UTF-8",
        "the body must be one JSON value in UTF-8: {fault}",
    ),
    Row(
        40002,
        errors.InvalidPlantError,
        "the body is no NewPlant; the message names the field and the rule",
        "the body must be a plant with id, name and, if wanted, tag: {fault}",
    ),
    Row(
        40003,
        errors.IdTakenError,
        "the id belongs to another plant",
        "the id {plant_id} belongs to another plant of this store: choose another id",
    ),
    Row(
        40004,
        errors.AlreadyStoredError,
        "the id belongs to an identical plant: an earlier try has landed",
        "this very plant, with the id {plant_id}, is in the store already",
    ),
    Row(40005, BadLimitError, "bad `limit`", "limit {fault}"),
    Row(40006, BadCursorError, "bad `after`", "after {fault}"),
    Row(40007, BadFieldsError, "bad `fields`", "fields {fault}"),
    Row(40008, BadTagError, "bad `tag`", "tag {fault}"),
    Row(
        40009,
        BadPlantIdError,
        "the path's id is no int64",
        "the id in the path must be a whole number from -9223372036854775808 to "
        "9223372036854775807, written in plain digits",
    ),
    Row(
        40010,
        BadIdempotencyKeyError,
        "bad Idempotency-Key",
        "Idempotency-Key must be 1 to 255 printable ASCII characters",
    ),
    Row(
        40011,
        MalformedRequestError,
        "the request is not well-formed HTTP, or has a header twice that must be single",
        "the request cannot be read: {fault}",
    ),
    Row(
        40101,
        errors.MissingTokenError,
        "no bearer token",
        "a token is needed: send the header Authorization: Bearer <ACCESS_TOKEN>",
    ),
    Row(
        40102,
        errors.InvalidTokenError,
        "not a valid token: unknown, malformed, expired or revoked",
        "the token is not valid: ask the owner of the store for a new one",
    ),
    Row(
        40301,
        errors.ForbiddenError,
        "the token may not do this",
        "the token may not {scope} plants of this store: use one with the scope {scope}, "
        "of a user whose role allows it",
    ),
    Row(
        40401,
        errors.NoSuchPlantError,
        "no such plant",
        "there is no plant with the id {plant_id} in this store",
    ),
    Row(40402, NoSuchPathError, "no such path", "there is nothing at this path; see /openapi.json"),
    Row(
        40403,
        errors.NoSuchStoreError,
        "no such store, or the token does not open it",
        "there is no such store among those that the token opens",
    ),
    Row(
        40501,
        MethodNotAllowedError,
        "method not allowed",
        "{method} is not possible here; these are: {allow}",
    ),
    Row(
        40801,
        SlowBodyError,
        "the body came too slowly",
        "the request's body came too slowly: send it again",
    ),
    Row(
        40802,
        SlowHeadError,
        "the head came too slowly",
        "the request's head came too slowly: send it again",
    ),
    Row(
        40901,
        errors.KeyRunningError,
        "a request with this Idempotency-Key is still running",
        "a request with this Idempotency-Key is still running: wait, then send it again",
    ),
    Row(
        41301,
        BodyTooLargeError,
        "body over 64 KiB",
        "the body is over 64 KiB: send one plant",
    ),
    Row(
        41401,
        TargetTooLongError,
        "target over 8 KiB",
        "the request's target is over 8 KiB: shorten it",
    ),
    Row(
        41501,
        UnsupportedMediaTypeError,
        "not application/json in UTF-8, or an encoding that we do not read",
        "send the plant as application/json in UTF-8: {fault}",
    ),
    Row(
        42201,
        errors.KeyReusedError,
        "the Idempotency-Key was another request's",
        "this Idempotency-Key was used with another body: send a new key with a new request",
    ),
    Row(
        42901,
        errors.TooManyRequestsError,
        "too many requests; `Retry-After` says when to go on",
        "too many requests: go on in {retry_after} s",
    ),
    Row(
        43101,
        HeadTooLargeError,
        "head over 16 KiB or 100 headers",
        "the request's head is over 16 KiB or 100 headers: shorten it",
    ),
    Row(
        50001,
        InternalError,
        "our fault",
        "the service failed; its log has the cause under this answer's X-Request-Id",
    ),
    Row(
        50301,
        errors.OverloadedError,
        "overloaded; nothing was done",
        "the service has too much to do, nothing was done: try again soon",
    ),
    Row(
        50302,
        errors.DatabaseUnavailableError,
        "database not available, nothing was written",
        "the database is not available, nothing was written: try again soon",
    ),
    Row(
        50303,
        errors.OutcomeUnknownError,
        "connection lost while committing: outcome unknown",
        "the database failed while committing, the outcome is unknown: send it again with the "
        "same Idempotency-Key",
    ),
)

ROWS = {row.error: row for row in TABLE}
