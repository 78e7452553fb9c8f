"""TLS: operations, handshakes, stopping, and invalid certificates."""

import asyncio
import select
import shlex
import signal
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path

import httpx
import pytest

from tests.certificates import make_certificate
from tests.cli.program import PLANTSTORE, Program
from tests.http.blocking import count_connections, memory_grows_at_most
from tests.http.raw import LIVE, TIMEOUT, Connection, Message
from tests.service import Service

StartService = Callable[..., Service]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("certificate")).parent


@pytest.fixture
def start(tmp_path: Path, certificate: Path) -> Iterator[StartService]:
    """Starts a service with TLS and settings; its log must have no traceback."""
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Service(tmp_path, settings=files | settings))
    assert "Traceback" not in (tmp_path / "log.txt").read_text()


@pytest.fixture
def trust(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate / "cert.pem"))


def connect_without_handshake(service: Service, source: str = "127.0.0.1") -> socket.socket:
    address = "127.0.0.1", int(service.origin.rsplit(":", 1)[1])
    return socket.create_connection(address, 30, (source, 0))


def make_hello(trust: ssl.SSLContext) -> bytes:
    hello = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        trust.wrap_bio(ssl.MemoryBIO(), hello, server_hostname="127.0.0.1").do_handshake()
    return hello.read()


def begin_handshakes(
    stack: ExitStack, service: Service, sent: bytes, count: int
) -> list[socket.socket]:
    """Connections of one address on which this was sent."""
    flood = [stack.enter_context(connect_without_handshake(service)) for _ in range(count)]
    for connection in flood:
        connection.sendall(sent)
    return flood


def expect_alive(service: Service) -> None:
    with service.client(None) as client:
        assert client.get("/livez").is_success


def test_the_operations_work_over_tls(
    tmp_path: Path, certificate: Path, trust: ssl.SSLContext
) -> None:
    flags = f"--tls-cert {certificate}/cert.pem --tls-key {certificate}/cert.key"
    script = f'exec {shlex.join(PLANTSTORE)} "$@" {flags} --workers 2'
    with Service(tmp_path, command=("sh", "-c", script, "sh")) as service:
        assert service.origin.startswith("https://127.0.0.1:")
        headers = {"Authorization": f"Bearer {service.make_token()}"}
        with httpx.Client(base_url=service.origin, headers=headers, verify=trust) as client:
            body = {"id": 1, "name": "Ficus"}
            assert client.post("/plants", json=body).json() == {"name": "Ficus"}
            assert client.get("/plants").json() == [{"name": "Ficus"}]
            # The header would apply to all services of this host, on any port.
            assert "strict-transport-security" not in client.get("/livez").headers
            assert client.delete("/plants/1").status_code == 204
        with pytest.raises(httpx.ConnectError):  # the certificate is self-signed
            httpx.get(f"{service.origin}/livez")
        with pytest.raises(httpx.TransportError):  # unencrypted HTTP is not served
            httpx.get(f"{service.origin.replace('https', 'http')}/livez")
        assert service.stop() == 0
    assert "Traceback" not in service.log()


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00\x01"])
def test_a_handshake_times_out_after_head_timeout(start: StartService, sent: bytes) -> None:
    service = start(head_timeout=0.5)
    with connect_without_handshake(service) as connection:
        connection.sendall(sent)
        assert connection.recv(1) == b""  # asyncio's own timeout is a minute
    expect_alive(service)


def test_connections_without_a_handshake_make_room(start: StartService) -> None:
    service = start(max_connections=2, head_timeout=1000)
    with ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(connect_without_handshake(service))
        expect_alive(service)


def test_new_connections_are_served_while_another_of_their_network_does_not_read(
    start: StartService, trust: ssl.SSLContext
) -> None:
    service = start(max_unsent_bytes=1)
    with Connection(service.origin, receive_buffer=4096, trust=trust) as slow:
        slow.send(*3000 * [Message("GET", "/nothing")])
        assert slow.has_data(10)
        for _ in range(5):
            expect_alive(service)


def test_handshakes_of_one_address_do_not_delay_another(
    start: StartService, trust: ssl.SSLContext
) -> None:
    service = start()
    begin = make_hello(trust)
    service.process.send_signal(signal.SIGSTOP)  # until all handshakes have begun
    with ExitStack() as stack:
        flood = begin_handshakes(stack, service, begin, 200)
        other = stack.enter_context(connect_without_handshake(service, "127.0.0.2"))
        other.sendall(begin)
        service.process.send_signal(signal.SIGCONT)
        assert other.recv(1)
        assert len(select.select(flood, [], [], 0)[0]) < len(flood) / 2


@pytest.mark.parametrize(("bytes_sent", "size"), [(0, 12), (6, 12), (300, 12)])
def test_incomplete_handshakes_use_little_memory(
    start: StartService, trust: ssl.SSLContext, bytes_sent: int | None, size: int
) -> None:
    service = start()
    expect_alive(service)
    with memory_grows_at_most(service, size * 1_000_000), ExitStack() as stack:
        begin_handshakes(stack, service, make_hello(trust)[:bytes_sent], 1000)
        while count_connections(service) < 1000:
            time.sleep(0.1)
        time.sleep(1)  # OpenSSL begins some handshakes
        with connect_without_handshake(service, "127.0.0.2") as other:
            trust.wrap_socket(other, server_hostname="127.0.0.1").close()
    expect_alive(service)


def test_clients_that_are_silent_after_a_hello_use_little_memory(
    start: StartService, trust: ssl.SSLContext
) -> None:
    service = start(**{"core.pools.MAX_HANDSHAKES": 200})
    expect_alive(service)
    with memory_grows_at_most(service, 25_000_000), ExitStack() as stack:
        flood = begin_handshakes(stack, service, make_hello(trust), 1000)
        for connection in flood:
            with suppress(ConnectionResetError):
                connection.recv(1)
        for source in ("127.0.0.1", "127.0.0.2"):
            with connect_without_handshake(service, source) as other:
                trust.wrap_socket(other, server_hostname="127.0.0.1").close()


def test_all_clients_of_an_address_that_reconnect_at_once_get_through(
    start: StartService, trust: ssl.SSLContext
) -> None:
    service = start(max_requests=64)

    async def reconnect() -> None:
        address = "127.0.0.1", int(service.origin.rsplit(":", 1)[1])
        opened = await asyncio.gather(
            *[asyncio.open_connection(*address, ssl=trust) for _ in range(80)]
        )
        for _, writer in opened:
            writer.transport.abort()

    asyncio.run(reconnect())


@pytest.mark.parametrize(
    ("group", "bytes_more", "is_accepted"),
    [("prime256v1", 6000, True), ("prime256v1", 9000, False), ("ffdhe8192", 0, False)],
)
def test_no_handshake_takes_the_service_long(
    start: StartService, trust: ssl.SSLContext, group: str, bytes_more: int, *, is_accepted: bool
) -> None:
    service = start()
    trust.set_ecdh_curve(group)
    trust.set_alpn_protocols(["a" * 99] * (bytes_more // 100))
    refused = nullcontext() if is_accepted else pytest.raises(OSError)  # noqa: PT011 - either side ends it
    with connect_without_handshake(service) as connection, refused:
        trust.wrap_socket(connection, server_hostname="127.0.0.1").close()


@pytest.mark.parametrize(
    ("ciphers", "is_accepted"), [("ECDHE+AESGCM", True), ("ECDHE+AES:!AESGCM:!AESCCM", False)]
)
def test_slow_ciphers_are_refused(
    start: StartService, trust: ssl.SSLContext, ciphers: str, *, is_accepted: bool
) -> None:
    trust.maximum_version = ssl.TLSVersion.TLSv1_2
    trust.set_ciphers(ciphers)
    refused = nullcontext() if is_accepted else pytest.raises(ssl.SSLError)
    with connect_without_handshake(start()) as connection, refused:
        trust.wrap_socket(connection, server_hostname="127.0.0.1").close()


def test_failed_handshakes_use_no_memory(start: StartService) -> None:
    service = start()
    with memory_grows_at_most(service, 15_000_000):
        for _ in range(1500):
            with Connection(service.origin) as connection:
                connection.send(LIVE)
                assert connection.has_data(TIMEOUT)  # or the end


def test_a_reset_connection_with_pending_responses_is_not_logged(
    start: StartService, trust: ssl.SSLContext
) -> None:
    service = start()
    for _ in range(200):
        with Connection(service.origin, trust=trust) as connection:
            connection.send(*[Message("GET", "/nowhere")] * 50)
            connection.reset()
    assert "SSL connection is closed" not in service.log()


def test_a_stop_does_not_wait_for_connections_closed_before_handshake(start: StartService) -> None:
    service = start(drain_timeout=1000)
    for _ in range(20):  # like the port checks of a load balancer
        Connection(service.origin).close()
    expect_alive(service)
    assert service.stop() == 0  # before the drain timeout


@pytest.mark.parametrize("last", [b"", LIVE.with_header("Connection", "close").to_bytes()])
def test_a_stop_does_not_wait_for_clients_that_do_not_read(
    start: StartService, trust: ssl.SSLContext, last: bytes
) -> None:
    service = start(drain_timeout=1000)
    with Connection(service.origin, trust=trust) as idle, Connection(service.origin):
        assert idle.request(LIVE).status == 200
        idle.send(last)
        assert service.stop() == 0  # before the drain timeout


@pytest.mark.parametrize(
    ("cert", "key", "expected"),
    [
        ("cert.pem", "cert.pem", "cannot use tls_cert"),
        ("cert.key", "cert.key", "cannot use tls_cert"),
        ("text", "text", "cannot use tls_cert"),
        ("cert.pem", "other.key", "cannot use tls_cert"),
        ("cert.pem", "nowhere.pem", "nowhere.pem"),
    ],
)
def test_invalid_certificate_and_key_files_are_refused(
    tmp_path: Path, certificate: Path, cert: str, key: str, expected: str
) -> None:
    (certificate / "text").write_text("no certificate")
    make_certificate(certificate, "other")
    flags = ("--tls-cert", str(certificate / cert), "--tls-key", str(certificate / key))
    assert expected in Program(tmp_path).refusal("serve", "--port", "0", *flags)
    variables = {"PLANTSTORE_TLS_CERT": flags[1], "PLANTSTORE_TLS_KEY": flags[3]}
    assert "tls_" in Program(tmp_path, variables).refusal("check")
