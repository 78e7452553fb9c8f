"""Finds the address of the client that sent a request, also behind proxies.

Invariant: a client cannot forge it: only the forwarded headers of trusted proxies are used.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from plantstore.core.settings import UNIX
from plantstore.server.messages import Request

_MAX_HOPS = 20  # only the last addresses of a header are read

Address = IPv4Address | IPv6Address


class ClientAddress:
    """Finds clients' addresses behind the ``trusted`` proxies: addresses and networks."""

    def __init__(self, trusted: Sequence[str]) -> None:
        self._trusts_unix = UNIX in trusted
        self._trusted = tuple(ip_network(network) for network in trusted if network != UNIX)

    def __call__(self, request: Request) -> str:
        """The address, without a port; ``unix`` on a Unix socket, empty if it is unknown.

        It is the first address, on the way from us to the client, that is not a trusted proxy.
        """
        address = _parse(request.address)
        if address is None:
            is_trusted = self._trusts_unix and request.address == UNIX
        else:
            is_trusted = self._is_trusted(address)
        if is_trusted:
            line = request.read_tracing(b"x-forwarded-for").decode("latin-1")
            hops = reversed(line.rsplit(",", _MAX_HOPS))
            while is_trusted and (said := _parse(next(hops, ""))):
                address, is_trusted = said, self._is_trusted(said)
        return request.address if address is None else str(address)

    def _is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)


def _parse(text: str) -> Address | None:
    """Parse ``192.0.2.1``, ``192.0.2.1:80``, ``2001:db8::1`` or ``[2001:db8::1]:80``.

    An IPv4-mapped IPv6 address, as dual-stack sockets report, becomes IPv4.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
