"""Reads the bodies of requests that change access.

Each field's description is its rule, which completes the sentence "NAME must be".
"""

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec.structs import FieldInfo, fields

from plantstore.core.decoding import parse_json
from plantstore.core.errors import InvalidChangeError, RequestError
from plantstore.http.app import App
from plantstore.http.write_headers import check_media_type
from plantstore.server.messages import Request

_NO_KEY = (
    "cannot be used here: a secret is shown only once; if it is lost, revoke it and create another"
)

Body = TypeVar("Body", bound=msgspec.Struct)
Text = Annotated[str, msgspec.Meta(description="a string")]


async def read_body(app: App, request: Request, kind: type[Body]) -> Body:
    """The body as this struct; unknown keys are ignored.

    :raises PlantStoreError: the body is not JSON, or not such an object; the reason names the
        field. Or a create has an Idempotency-Key: a secret cannot be sent again.
    """
    check_media_type(request.headers)
    if request.method == "POST" and b"idempotency-key" in request.headers:
        raise RequestError(40010, reason=_NO_KEY)
    given = parse_json(await app.authentication.read_body(request))
    if not isinstance(given, dict):
        raise InvalidChangeError(reason="the body must be an object")
    return kind(**{field.name: _read_field(field, given) for field in fields(kind)})


def _read_field(field: FieldInfo, given: dict[str, Any]) -> object:
    if field.name not in given:
        if field.required:
            raise InvalidChangeError(reason=f"{field.name} is missing")
        return field.default
    try:
        return msgspec.convert(given[field.name], field.type)
    except (msgspec.ValidationError, UnicodeError):
        rule = field.type.__metadata__[-1].description
        raise InvalidChangeError(reason=f"{field.name} must be {rule}") from None
