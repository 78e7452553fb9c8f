"""The floor: a program that gives recorded answers on the service's own server, and does no more.

``python -m bench.floor FILE serve`` takes the settings of the service, from the environment.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

from bench.answers import Answer
from plantstore.http.server import ServerConfig, listen, origin_of
from plantstore.settings import load_settings

# The server adds these itself.
_OF_SERVER = (b"date", b"transfer-encoding")

Message = dict[str, Any]


class FloorApp:
    """Gives each method's answer, whatever is asked; ready at once."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._messages = {method: _to_messages(answer) for method, answer in answers.items()}
        self._delays = {method: it.delay for method, it in answers.items() if it.delay}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Answer one request, or follow the server's life."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["raw_path"] == b"/readyz":
            for message in _to_messages(Answer(200, [(b"content-length", b"0")], [b""], 0)):
                await send(message)
        else:
            method = scope["method"]
            if method in self._delays:
                await asyncio.sleep(self._delays[method])
            for message in self._messages[method]:
                await send(message)


def _to_messages(answer: Answer) -> list[Message]:
    headers = [header for header in answer.headers if header[0] not in _OF_SERVER]
    start = {"type": "http.response.start", "status": answer.status, "headers": headers}
    *parts, last = answer.parts if len(answer.parts) == 1 else [*answer.parts, b""]
    bodies = [{"type": "http.response.body", "body": part, "more_body": True} for part in parts]
    return [start, *bodies, {"type": "http.response.body", "body": last}]


async def _live(receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
    for phase in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{phase}.complete"})


def main(file: str) -> None:
    """Serve until a signal."""
    answers = msgspec.msgpack.decode(Path(file).read_bytes(), type=dict[str, Answer])
    settings = load_settings({}, os.environ)
    listener = listen(settings)
    sys.stdout.write(f"serving the floor on {origin_of(settings, listener)}\n")
    sys.stdout.flush()
    make_app: Any = lambda: FloorApp(answers)  # noqa: E731 - no App, but an ASGI application
    uvicorn.Server(ServerConfig(make_app, settings)).run([listener])


if __name__ == "__main__":
    main(sys.argv[1])
