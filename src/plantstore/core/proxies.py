"""Trusted proxies, and the addresses that sockets and proxies report.

Invariant: no client can forge its address: only forwarded headers of trusted proxies are used.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from plantstore.core.settings import UNIX

_MAX_HOPS = 20  # only the last addresses of a header are read


class Proxies:
    """The ``trusted`` proxies: addresses, networks, and ``unix``."""

    def __init__(self, trusted: Sequence[str]) -> None:
        self._trusts_unix = UNIX in trusted
        self._networks = tuple(ip_network(network) for network in trusted if network != UNIX)

    def trust(self, peer: str) -> bool:
        """Whether they include this address, or ``unix``."""
        address = parse_address(peer)
        if address is None:
            return self._trusts_unix and peer == UNIX
        return any(address in network for network in self._networks)

    def find_client(self, peer: str, read_header: Callable[[bytes], bytes]) -> str:
        """A client's address, without a port; ``unix`` on a Unix socket, empty if it is unknown.

        It is the first address, on the way from us to the client, that is not a trusted proxy.
        """
        address, is_trusted = parse_address(peer), self.trust(peer)
        if is_trusted:
            line = read_header(b"x-forwarded-for").decode("latin-1")
            hops = reversed(line.rsplit(",", _MAX_HOPS))
            while is_trusted and (said := parse_address(next(hops, ""))):
                address, is_trusted = said, self.trust(str(said))
        return peer if address is None else str(address)


@lru_cache(maxsize=1000)
def parse_address(text: str) -> IPv4Address | IPv6Address | None:
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
    return getattr(address, "ipv4_mapped", None) or address
