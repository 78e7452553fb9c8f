"""Reads the bodies of requests that change access."""

import re
from typing import TypeVar

import msgspec

from plantstore.core.decoding import parse_json
from plantstore.core.errors import InvalidChangeError
from plantstore.http.new_plant import check_media_type
from plantstore.server.messages import Request

MAX_BODY = 64 * 1024
# What the decoder calls by Python's names, as JSON Schema has it.
_NAMES = {
    "str": "string",
    "int": "integer",
    "bool": "boolean",
    "float": "number",
    "datetime": "date-time",
}
_NAME = re.compile(rf"(?<=`)({'|'.join(_NAMES)})(?=`| \|)")

Body = TypeVar("Body", bound=msgspec.Struct)


async def read_body(request: Request, kind: type[Body]) -> Body:
    """The body as this struct; unknown keys are ignored.

    :raises PlantStoreError: it is not JSON, or not such an object; the reason names the field.
    """
    check_media_type(request.headers)
    body = request.body
    if not isinstance(body, bytes):
        body = await body.read(MAX_BODY)
    try:
        return msgspec.convert(parse_json(body), kind)
    except msgspec.ValidationError as error:
        reason = _NAME.sub(lambda found: _NAMES[found[0]], str(error))
        raise InvalidChangeError(reason=reason) from None
