"""Headless Firefox, driven with real keys over its protocol, Marionette.

A message is its length, a colon and JSON. A command is ``[0, number, command, parameters]``, its
response ``[1, number, error, result]``.
"""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

_TIMEOUT = 30.0
_SETTINGS = 'user_pref("marionette.port", 0);\nuser_pref("app.update.disabledForTesting", true);\n'
_ARGUMENTS = ("--headless", "--no-remote", "--marionette", "--profile")
_WAIT = """const [done] = arguments;
const check = () => (%s ? done() : setTimeout(check, 20));
check();"""


class Firefox:
    """A tab; elements are found by CSS selectors."""

    def __init__(self, connection: socket.socket, stream: BinaryIO) -> None:
        self._connection = connection
        self._stream = stream
        self._receive()  # the greeting
        self._send("WebDriver:NewSession", {})

    def open(self, address: str) -> None:
        self._send("WebDriver:Navigate", {"url": address})

    def press(self, *keys: str, gap: int = 0) -> None:
        """Press keys one after another, with a gap in milliseconds, in the focused element."""
        steps: list[dict[str, object]] = []
        for key in keys:
            steps += [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
            steps += [{"type": "pause", "duration": gap}]
        source = {"type": "key", "id": "keyboard", "actions": steps}
        self._send("WebDriver:PerformActions", {"actions": [source]})

    def click_each(self, selectors: Sequence[str], gap: int) -> None:
        """Click where these elements are now, with a gap in milliseconds after each."""
        centre = (
            "(({x, y, width, height}) => [Math.round(x + width / 2), Math.round(y + height / 2)])"
        )
        steps: list[dict[str, object]] = []
        for selector in selectors:
            element = f"document.querySelector({json.dumps(selector)})"
            x, y = self.evaluate(f"{centre}({element}.getBoundingClientRect())")
            steps += [{"type": "pointerMove", "x": x, "y": y}]
            steps += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
            steps += [{"type": "pause", "duration": gap}]
        source = {"type": "pointer", "id": "mouse", "actions": steps}
        self._send("WebDriver:PerformActions", {"actions": [source]})

    def fill(self, selector: str, text: str) -> None:
        result = self._send("WebDriver:FindElement", {"using": "css selector", "value": selector})
        element = next(iter(result["value"].values()))
        self._send("WebDriver:ElementSendKeys", {"id": element, "text": text})

    def focus(self, selector: str) -> None:
        element = f"document.querySelector({json.dumps(selector)})"
        self.wait_until(element)
        self.evaluate(f"{element}.focus()")

    def evaluate(self, script: str) -> Any:  # noqa: ANN401 - whatever JavaScript gives
        """The value of a JavaScript expression in the page."""
        return self._send("WebDriver:ExecuteScript", {"script": f"return {script}"})["value"]

    def wait_until(self, condition: str) -> None:
        self._send("WebDriver:ExecuteAsyncScript", {"script": _WAIT % condition})

    def assert_shows(self, text: str, selector: str = "body") -> None:
        element = f"document.querySelector({json.dumps(selector)})"
        self.wait_until(
            f"{element}?.checkVisibility() && {element}.innerText.includes({json.dumps(text)})"
        )

    def _send(self, command: str, parameters: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        message = json.dumps([0, 0, command, parameters]).encode()
        self._connection.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._receive()
        assert error is None, (command, parameters, error)
        return result

    def _receive(self) -> Any:  # noqa: ANN401 - JSON
        length = b"".join(iter(lambda: self._stream.read(1), b":"))
        return json.loads(self._stream.read(int(length)))


@contextmanager
def open_firefox(profile: Path) -> Iterator[Firefox]:
    """Start Firefox with a new profile in this folder."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    assert path is not None, "missing: firefox-esr or firefox"
    (profile / "user.js").write_text(_SETTINGS)
    with (profile / "log").open("wb") as log:
        process = subprocess.Popen([path, *_ARGUMENTS, str(profile)], stdout=log, stderr=log)
    try:
        with (
            closing(_connect(profile / "MarionetteActivePort")) as connection,
            connection.makefile("rb") as stream,
        ):
            yield Firefox(connection, stream)
    finally:
        process.terminate()
        process.wait(_TIMEOUT)


def _connect(port: Path) -> socket.socket:
    """Connect to Firefox, which writes its port to this file once it listens."""
    deadline = time.monotonic() + _TIMEOUT
    while not (port.exists() and port.read_text()):
        assert time.monotonic() < deadline, "Firefox did not start in time"
        time.sleep(0.02)
    return socket.create_connection(("127.0.0.1", int(port.read_text())), _TIMEOUT)
