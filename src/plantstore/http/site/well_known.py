"""What programs look for below ``/.well-known/``.

A catalog of the interface (RFC 9727), and where to report a vulnerability (RFC 9116). References
are relative to these paths, so that they are right below any path prefix, unless the setting
``public_url`` names the service's address.
"""

import msgspec

from plantstore.clock import now, write_time
from plantstore.errors import RequestError
from plantstore.http.responses import NO_STORE, header_line, make_response
from plantstore.http.site.files import REVALIDATE
from plantstore.server.messages import Request, Response

_PROFILE = "https://www.rfc-editor.org/info/rfc9727"
_LINKSET = f'application/linkset+json; profile="{_PROFILE}"'.encode()
_DAY_MS = 24 * 3600 * 1000
_DAYS = 30  # a copy of the text that is older need not be believed


class WellKnown:
    """Responds below ``/.well-known/``; ``contact`` is who takes reports."""

    def __init__(self, public_url: str, contact: str | None) -> None:
        base = public_url.rstrip("/") + "/" if "://" in public_url else "../"
        self._catalog = msgspec.json.encode({"linkset": [_describe_interface(base)]})
        self._contact = contact

    async def respond_catalog(self, _request: Request) -> Response:
        """The links to the interface's documents."""
        headers = header_line("Content-Type", _LINKSET) + REVALIDATE
        headers += header_line("Link", b'<api-catalog>; rel="api-catalog"')
        return make_response(200, headers, self._catalog)

    async def respond_contact(self, _request: Request) -> Response:
        """Who takes reports; the text expires in a month, counted from today.

        :raises RequestError: the operator has set nobody.
        """
        if self._contact is None:
            raise RequestError(40402)
        expires_at = (now() // _DAY_MS + _DAYS) * _DAY_MS
        text = f"Contact: {self._contact}\nExpires: {write_time(expires_at)}\n"
        headers = b"Content-Type: text/plain; charset=utf-8\r\n" + NO_STORE
        return make_response(200, headers, text.encode())


def _describe_interface(base: str) -> dict[str, object]:
    return {
        "anchor": base,
        "service-desc": [
            {"href": f"{base}openapi.json", "type": "application/json"},
            {"href": f"{base}openapi.yaml", "type": "application/yaml"},
        ],
        "service-doc": [{"href": f"{base}docs", "type": "text/html"}],
        "status": [{"href": f"{base}readyz", "type": "application/json"}],
    }
