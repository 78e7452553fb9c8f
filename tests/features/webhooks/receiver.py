"""A receiver of webhooks: it keeps the messages, and responds as the test chooses."""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx
from msgspec import Struct
from standardwebhooks import Webhook

from tests.waiting import wait_until


class Received(Struct, frozen=True):
    """A message as it arrived: its headers in lower case, and its body."""

    headers: Mapping[str, str]
    body: bytes

    @property
    def id(self) -> str:
        """The same for the same message."""
        return self.headers["webhook-id"]

    @property
    def content(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.body)

    @property
    def data(self) -> Any:  # noqa: ANN401 - JSON
        return self.content["data"]

    def verify(self, secret: str) -> None:
        """Verify it as the official package does; raise an error if that fails."""
        Webhook(secret).verify(self.body, dict(self.headers))


Response = tuple[int, Mapping[str, str], bytes]
OK: Response = (200, {}, b"ok")


class Receiver:
    """Listens on this machine; ``respond`` says what each message gets."""

    def __init__(self, port: int = 0) -> None:
        self.messages: list[Received] = []
        self.respond: Callable[[Received], Response] = lambda _: OK
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                receiver.handle(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook"

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = request.rfile.read(int(headers["content-length"]))
        message = Received(headers, body)
        self.messages.append(message)
        status, lines, content = self.respond(message)
        with suppress(OSError):  # it was killed meanwhile
            self._send(request, status, lines, content)

    @staticmethod
    def _send(
        request: BaseHTTPRequestHandler, status: int, lines: Mapping[str, str], content: bytes
    ) -> None:
        request.send_response(status)
        for name, value in {**lines, "Content-Length": str(len(content))}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)

    def wait_for(self, count: int) -> list[Received]:
        return self.wait_until(lambda messages: len(messages) >= count)

    def wait_until(self, is_enough: Callable[[list[Received]], bool]) -> list[Received]:
        wait_until(lambda: is_enough(self.messages))
        return list(self.messages)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def create_webhook(client: httpx.Client, url: str, **more: object) -> Any:  # noqa: ANN401 - JSON
    made = client.post("/webhooks", json={"url": url, **more})
    assert made.status_code == 201, made.text
    return made.json()


def find_webhook(client: httpx.Client, webhook_id: str) -> Any:  # noqa: ANN401 - JSON
    return client.get(f"/webhooks/{webhook_id}").raise_for_status().json()


def wait_until_delivered(client: httpx.Client, webhook_id: str) -> None:
    def is_delivered() -> bool:
        webhook = find_webhook(client, webhook_id)
        return bool(webhook["delivered"] == webhook["revision"])

    wait_until(is_delivered)
