"""Trusted proxies, and the addresses that sockets and proxies report."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from plantstore.core.settings import UNIX


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
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
