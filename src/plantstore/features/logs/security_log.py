"""Logs refusals: of tokens, of permissions, and of calls beyond a rate.

Invariant: of a token only the id is written, and only if it has the form of a token.
"""

import logging

from plantstore.core.errors import ForbiddenError
from plantstore.core.model import token_id_of
from plantstore.core.tokens import hash_token, is_well_formed
from plantstore.features.logs.line_limit import LineLimit
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.log_lines import describe_caller, describe_request
from plantstore.server.messages import Request, Response, Stream

logger = logging.getLogger("plantstore.security")

_MAX_LINES = 10  # a second
_MESSAGES = {
    40102: "token refused",
    40301: "permission refused",
    40406: "code refused",
    42901: "rate limit exceeded",
}


class SecurityLog:
    """Writes the lines of a process's refusals."""

    def __init__(self, client_address: ClientAddress) -> None:
        self._client_address = client_address
        self._limit = LineLimit(logger, _MAX_LINES)

    def observe(self, request: Request, response: Response | Stream, _seconds: float) -> None:
        message = _MESSAGES.get(response.error)
        if message is None or not self._limit.admits():
            return
        fields = describe_request(request, self._client_address)
        fields["error_number"] = response.error
        fields |= describe_caller(request) or _describe_token(request)
        if isinstance(request.refusal, ForbiddenError):
            fields["scope"] = request.refusal.details["scope"]
        logger.warning(message, extra={"fields": fields})


def _describe_token(request: Request) -> dict[str, object]:
    """The id of the request's token, if it has the form of a token."""
    token = request.headers.get(b"authorization", b"")[len(b"Bearer ") :].strip().decode("latin-1")
    return {"token_id": token_id_of(hash_token(token))} if is_well_formed(token) else {}
