"""The client's address: ``X-Forwarded-For`` counts only behind trusted proxies."""

import pytest

from plantstore.core.proxies import Proxies
from plantstore.server.messages import Request

PROXIES = ("10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7")


def client_address(peer: str, **headers: str) -> str:
    """The address of a request from this peer, behind the proxies."""
    lines = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    request = Request(b"1", "GET", lines, address=peer)
    return Proxies(PROXIES).find_client(peer, request.read_tracing)


@pytest.mark.parametrize("peer", ["203.0.113.5", "2001:db8:2::1", "192.0.2.8", ""])
def test_the_header_of_an_untrusted_peer_is_ignored(peer: str) -> None:
    assert client_address(peer, x_forwarded_for="198.51.100.1") == peer


def test_the_header_is_ignored_without_trusted_proxies() -> None:
    request = Request(b"1", "GET", {b"x-forwarded-for": b"198.51.100.1"}, address="10.0.0.1")
    assert Proxies(()).find_client("10.0.0.1", request.read_tracing) == "10.0.0.1"


@pytest.mark.parametrize("peer", ["10.0.0.1", "192.0.2.7", "2001:db8:1::1", "::ffff:10.0.0.1"])
def test_the_header_of_a_trusted_proxy_is_used(peer: str) -> None:
    assert client_address(peer, x_forwarded_for="203.0.113.5") == "203.0.113.5"


@pytest.mark.parametrize(
    ("hops", "address"),
    [
        ("198.51.100.9, 203.0.113.5", "203.0.113.5"),  # the client made up the first address
        ("203.0.113.5, 10.1.1.1,10.2.2.2", "203.0.113.5"),
        ("10.3.3.3, 10.2.2.2", "10.3.3.3"),  # a client within
        ("203.0.113.5:4711", "203.0.113.5"),
        ("[2001:db8:2::9]:80, 10.2.2.2", "2001:db8:2::9"),
        ("2001:DB8:2:0::9", "2001:db8:2::9"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("203.0.113.5, unknown", "10.0.0.1"),  # the last known address
        ("203.0.113.5, nonsense, 10.2.2.2", "10.2.2.2"),
        ("203.0.113.5, ", "10.0.0.1"),
        ("", "10.0.0.1"),
        ("x\ty", "10.0.0.1"),
        ("203.0.113.5" + ", 10.1.1.1" * 3000, "10.1.1.1"),
    ],
)
def test_the_last_untrusted_hop_is_the_client(hops: str, address: str) -> None:
    assert client_address("10.0.0.1", x_forwarded_for=hops) == address
