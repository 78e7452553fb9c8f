"""Finds the address of the client that sent a request, also behind proxies.

Invariant: a client cannot forge it: only the forwarded headers of trusted proxies are used.
"""

from collections.abc import Sequence

from plantstore.core.proxies import Proxies, parse_address
from plantstore.server.messages import Request

_MAX_HOPS = 20  # only the last addresses of a header are read


class ClientAddress:
    """Finds clients' addresses behind the ``trusted`` proxies: addresses and networks."""

    def __init__(self, trusted: Sequence[str]) -> None:
        self._proxies = Proxies(trusted)

    def __call__(self, request: Request) -> str:
        """The address, without a port; ``unix`` on a Unix socket, empty if it is unknown.

        It is the first address, on the way from us to the client, that is not a trusted proxy.
        """
        address = parse_address(request.address)
        is_trusted = self._proxies.trust(request.address)
        if is_trusted:
            line = request.read_tracing(b"x-forwarded-for").decode("latin-1")
            hops = reversed(line.rsplit(",", _MAX_HOPS))
            while is_trusted and (said := parse_address(next(hops, ""))):
                address, is_trusted = said, self._proxies.trust(str(said))
        return request.address if address is None else str(address)
