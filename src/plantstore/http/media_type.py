"""Whether a body is what a create reads: application/json in UTF-8, not encoded."""

from collections.abc import Mapping

from plantstore.http.errors import UnsupportedMediaTypeError

_JSON = b"application/json"


def check_media_type(headers: Mapping[bytes, bytes]) -> None:
    """Let JSON in UTF-8 pass.

    :raises UnsupportedMediaTypeError: the body is something else, or encoded.
    """
    content_type = headers.get(b"content-type")
    if content_type is None:
        raise UnsupportedMediaTypeError(fault="there is no Content-Type header")
    if content_type != _JSON:
        _check_content_type(content_type.lower())
    encoding = headers.get(b"content-encoding", b"identity")
    if encoding.strip().lower() != b"identity":
        raise UnsupportedMediaTypeError(fault="a Content-Encoding is not possible here")


def _check_content_type(content_type: bytes) -> None:
    media_type, *parameters = (part.strip() for part in content_type.split(b";"))
    if media_type != _JSON:
        raise UnsupportedMediaTypeError(fault="the Content-Type is another")
    for parameter in parameters:
        name, _, value = parameter.partition(b"=")
        if name.strip() == b"charset" and value.strip(b' "') != b"utf-8":
            raise UnsupportedMediaTypeError(fault="its charset is another")
