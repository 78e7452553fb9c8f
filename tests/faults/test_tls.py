"""The service speaks TLS with the certificate that it is given, and drains there too."""

import socket
import ssl
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.certificates import make_certificate
from tests.cli.program import Program
from tests.http.blocking import peak_memory
from tests.http.raw import TIMEOUT, Connection, Message
from tests.service import Service


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate."""
    return make_certificate(tmp_path_factory.mktemp("certificate")).parent


def test_the_operations_work_over_tls(tmp_path: Path, certificate: Path) -> None:
    flags = f"--tls-cert {certificate}/cert.pem --tls-key {certificate}/cert.key"
    script = f'exec {sys.executable} -m plantstore "$@" {flags} --workers 2'
    with Service(tmp_path, command=("sh", "-c", script, "sh")) as service:
        assert service.origin.startswith("https://127.0.0.1:")
        trust = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
        headers = {"Authorization": f"Bearer {service.make_token()}"}
        with httpx.Client(base_url=service.origin, headers=headers, verify=trust) as client:
            body = {"id": 1, "name": "Ficus"}
            assert client.post("/plants", json=body).json() == {"name": "Ficus"}
            assert client.get("/plants").json() == [{"name": "Ficus"}]
            # It would bind all services of this host, on any port, for as long as it says.
            assert "strict-transport-security" not in client.get("/livez").headers
            assert client.delete("/plants/1").status_code == 204
        with pytest.raises(httpx.ConnectError):  # nobody vouches for this certificate
            httpx.get(f"{service.origin}/livez")
        with pytest.raises(httpx.TransportError):  # and without TLS there is nothing
            httpx.get(f"{service.origin.replace('https', 'http')}/livez")
        assert service.stop() == 0
    assert "Traceback" not in service.log()


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00\x01"])
def test_a_handshake_has_the_time_of_a_head(tmp_path: Path, certificate: Path, sent: bytes) -> None:
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    settings = {**files, "head_timeout": 0.5}
    with Service(tmp_path, settings=settings) as service:
        address = ("127.0.0.1", int(service.origin.rsplit(":", 1)[1]))
        with socket.create_connection(address, timeout=30) as connection:
            connection.sendall(sent)
            assert connection.recv(1) == b""  # without our deadline it takes a minute
        with service.client(service.make_token()) as client:
            assert client.get("/plants").json() == []
    assert "Traceback" not in service.log()


def test_a_stop_does_not_wait_for_who_left_before_the_handshake(
    tmp_path: Path, certificate: Path
) -> None:
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    with Service(tmp_path, settings={**files, "drain_timeout": 1000}) as service:
        for _ in range(20):  # as a balancer does that checks a port
            Connection(service.origin).close()
        with service.client(None) as client:
            assert client.get("/livez").is_success
        assert service.stop() == 0  # in its time
    assert "Traceback" not in service.log()


def test_handshakes_that_fail_take_no_memory(tmp_path: Path, certificate: Path) -> None:
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    with Service(tmp_path, settings=files) as service:
        before = peak_memory(service)
        for _ in range(1500):
            with Connection(service.origin) as connection:
                connection.send(Message("GET", "/livez"))
                assert connection.has_data(TIMEOUT)  # or the end
        assert peak_memory(service) - before < 15_000_000


def test_a_handshake_that_never_comes_makes_room(tmp_path: Path, certificate: Path) -> None:
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    settings = {**files, "max_connections": 2, "head_timeout": 1000}
    with Service(tmp_path, settings=settings) as service, ExitStack() as stack:
        address = ("127.0.0.1", int(service.origin.rsplit(":", 1)[1]))
        for _ in range(5):
            stack.enter_context(socket.create_connection(address))
        with service.client(None) as client:
            assert client.get("/livez").is_success
    assert "Traceback" not in service.log()


@pytest.mark.parametrize(
    "last", [b"", b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]
)
def test_who_does_not_look_is_not_waited_for(
    tmp_path: Path, certificate: Path, last: bytes
) -> None:
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    service = Service(tmp_path, settings={**files, "drain_timeout": 1000}).start()
    trust = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    with Connection(service.origin, trust=trust) as idle, Connection(service.origin):
        assert idle.ask(Message("GET", "/livez")).status == 200
        idle.send(last)
        assert service.stop() == 0  # in its time
    assert "Traceback" not in service.log()


def test_bodies_that_were_given_up_take_no_memory(tmp_path: Path, certificate: Path) -> None:
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    trust = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    with Service(tmp_path, settings=files) as service:
        create = Message("POST", "/plants").adding("Expect", "100-continue")
        create = create.adding("Authorization", f"Bearer {service.make_token()}")
        create = create.carrying(b"x" * 30_000)
        before = peak_memory(service)
        for _ in range(500):
            with Connection(service.origin, trust=trust) as connection:
                connection.send(create.head())
                assert connection.receive().status == 100
                connection.send(create.body[:20_000])
                connection.reset()
        assert peak_memory(service) - before < 15_000_000


def test_who_asks_for_much_and_goes_leaves_no_line_in_the_log(
    tmp_path: Path, certificate: Path
) -> None:
    files = {"tls_cert": certificate / "cert.pem", "tls_key": certificate / "cert.key"}
    trust = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    with Service(tmp_path, settings=files) as service:
        for _ in range(200):
            with Connection(service.origin, trust=trust) as connection:
                connection.send(*[Message("GET", "/nowhere")] * 50)
                connection.reset()
    assert "SSL connection is closed" not in service.log()


@pytest.mark.parametrize(
    ("cert", "key"),
    [
        ("cert.pem", "cert.pem"),
        ("cert.key", "cert.key"),
        ("text", "text"),
        ("cert.pem", "other.pem"),
    ],
)
def test_files_that_are_no_certificate_and_key_are_refused(
    tmp_path: Path, certificate: Path, cert: str, key: str
) -> None:
    (certificate / "text").write_text("no certificate")
    other = ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"]
    subprocess.run([*other, "-out", "other"], cwd=certificate, check=True, capture_output=True)
    flags = ("--tls-cert", str(certificate / cert), "--tls-key", str(certificate / key))
    program = Program(tmp_path)
    assert "cannot use --tls-cert" in program.refusal("serve", "--port", "0", *flags)


def test_a_missing_file_is_named(tmp_path: Path, certificate: Path) -> None:
    program = Program(tmp_path)
    flags = ("--tls-cert", str(certificate / "cert.pem"), "--tls-key", "nowhere.pem")
    assert "nowhere.pem" in program.refusal("serve", "--port", "0", *flags)


def test_check_tries_the_certificate(tmp_path: Path) -> None:
    files = {"PLANTSTORE_TLS_CERT": "nowhere.pem", "PLANTSTORE_TLS_KEY": "nowhere.pem"}
    assert "cannot use PLANTSTORE_TLS_CERT nowhere.pem" in Program(tmp_path, files).refusal("check")
