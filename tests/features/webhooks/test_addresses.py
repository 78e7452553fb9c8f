"""Messages reach no private address, whatever name or redirect leads there."""

import asyncio
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO, Any

import httpx
import pytest

from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.messages import RECEIVED, is_public, make_message, open_client
from plantstore.features.webhooks.webhooks import Delivery, Webhook
from tests.certificates import make_certificate
from tests.cli.program import Program
from tests.features.access.http.access_calls import managing
from tests.features.webhooks.receiver import Receiver, create_webhook
from tests.http.calls import expect_refused
from tests.postgres.server import free_port
from tests.service import Service

PUBLIC = ("93.184.215.14", "1.1.1.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")
PRIVATE = (
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.1"),
    *("169.254.169.254", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.88.99.1"),
    *("192.0.0.170", "192.0.0.192", "198.18.0.1", "203.0.113.1", "168.63.129.16"),
    *("::1", "::", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "fec0::1"),
    *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"),
    *("2002:7f00:1::1", "2001::1", "2001:db8::1", "3fff::1", "100::1"),
)
# What names this machine, or its metadata, in other forms.
HOSTS = (
    *("localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0"),
    *("[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "169.254.169.254", "１27.0.0.1"),
)
REASONS = ("private address", "not a canonical IPv4 address")


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", PRIVATE)
def test_any_other_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("host", HOSTS)
def test_no_form_of_an_address_leads_to_this_machine(receiver: Receiver, host: str) -> None:
    for scheme in ("https", "http"):
        response = send_to(f"{scheme}://{host}:{receiver.port}/hook", WebhookSettings())
        assert any(reason in response for reason in REASONS), response
    assert receiver.messages == []


def test_a_name_is_checked_by_the_address_that_it_has_when_it_is_connected_to(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([("93.184.215.14", 443), ("127.0.0.1", receiver.port)])
    resolve = socket.getaddrinfo

    def rebind(host: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the original
        if host != "rebind.example":
            return resolve(host, *arguments, **options)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", next(answers))]

    monkeypatch.setattr(socket, "getaddrinfo", rebind)
    assert socket.getaddrinfo("rebind.example", 443)[0][4][0] == "93.184.215.14"
    url = f"http://rebind.example:{receiver.port}/"
    assert "private address" in send_to(url, WebhookSettings())
    assert receiver.messages == []


def test_no_redirect_is_followed_and_no_proxy_is_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Receiver() as other:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{other.port}")
        receiver.respond = lambda _: (307, {"Location": other.url}, b"elsewhere")
        settings = WebhookSettings(webhook_allow_private=True)
        assert send_to(receiver.url, settings) == "elsewhere"
        assert len(receiver.messages) == 1
        assert other.messages == []


def test_of_a_large_response_little_is_read(receiver: Receiver) -> None:
    receiver.respond = lambda _: (200, {}, b"x" * 10**7)
    settings = WebhookSettings(webhook_allow_private=True)
    assert send_to(receiver.url, settings) == "x" * 1000


def test_of_endless_interim_responses_little_is_read() -> None:
    interim, final = b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"
    assert send_to_receiver_of([2_000 * interim, final]) == "the response is too long"


def test_of_a_response_that_comes_byte_by_byte_little_is_read() -> None:
    response = b"HTTP/1.1 200 OK\r\nX: " + 2_000 * b"x" + b"\r\n\r\n"
    parts = [response[n : n + 1] for n in range(len(response))]
    assert send_to_receiver_of(parts) == "the response is too long"


def test_each_segment_of_a_response_is_charged_to_its_store() -> None:
    charges: list[None] = []
    token = RECEIVED.set(lambda: charges.append(None))
    response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    assert send_to_receiver_of([response[n : n + 1] for n in range(len(response))]) == ""
    RECEIVED.reset(token)
    assert len(charges) > len(response) // 2


def test_key_updates_of_tls_do_not_renew_what_is_read(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    trusting = {"SSL_CERT_FILE": str(certificate), "PLANTSTORE_WEBHOOK_ALLOW_PRIVATE": "true"}
    program = Program(tmp_path, trusting).with_database()
    program.make_store("nursery")
    port, options = free_port(), ("-cert", certificate, "-key", certificate.with_suffix(".key"))
    command = ("openssl", "s_server", "-accept", f"127.0.0.1:{port}", *options)
    url, store = f"https://127.0.0.1:{port}", ("--store", "nursery")
    made = program.data("webhook", "create", url, *store)
    with subprocess.Popen(command, 0, stdin=PIPE, stdout=PIPE, stderr=DEVNULL) as receiver:
        assert receiver.stdin
        assert receiver.stdout
        next(line for line in receiver.stdout if line.startswith(b"ACCEPT"))
        threading.Thread(target=request_key_updates, args=(receiver.stdin,)).start()
        result = program.run("webhook", "test", made["id"], *store)
        receiver.kill()
    assert "the response is too long" in result.out


def request_key_updates(stdin: IO[bytes]) -> None:
    with suppress(OSError, ValueError):  # it has ended
        while True:
            stdin.write(b"K\n")
            time.sleep(0.002)  # so that each is a command of its own


def send_to_receiver_of(parts: Sequence[bytes]) -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=respond, args=(server, parts)).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        return send_to(url, WebhookSettings(webhook_allow_private=True))


def respond(server: socket.socket, parts: Sequence[bytes]) -> None:
    connection, _ = server.accept()
    with connection, suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.recv(65536)
        for part in parts:
            connection.sendall(part)
            time.sleep(0.001)  # so that it is a segment of its own
        connection.shutdown(socket.SHUT_WR)
        connection.recv(65536)  # until it is closed


def test_a_service_sends_to_no_private_address_unless_it_is_told(
    tmp_path: Path, receiver: Receiver
) -> None:
    with Service(tmp_path) as service, managing(service, "nursery") as client:
        refused = client.post("/webhooks", json={"url": receiver.url})
        assert "url must be such as https" in expect_refused(refused, 40014)
        made = create_webhook(client, receiver.url.replace("http:", "https:"))
        sent = client.post(f"/webhooks/{made['id']}/test").raise_for_status().json()
        assert "private address" in sent["response"]
        assert "status" not in sent
    assert receiver.messages == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example",
        "https://",
        "https://user@a.example",
        "https://a.example/#x",
        "//a",
        "https://a:0",
        "https://a:x",
        "http://a.example",
        "http://10.0.0.1",
        "http://127.1",
    ],
)
def test_only_https_and_http_to_this_machine_are_accepted(manager: httpx.Client, url: str) -> None:
    assert "url must be" in expect_refused(manager.post("/webhooks", json={"url": url}), 40014)


def send_to(url: str, settings: WebhookSettings) -> str:
    about = (url, "", None, "", "whsec_", None, None, 0, 0, None, None, "", 0, "nursery")

    async def run() -> Delivery:
        async with open_client(settings) as send:
            message = make_message("webhook.test", "nursery")
            return (await send(Webhook(1, "w", *about), message))[0]

    return asyncio.run(run()).response
