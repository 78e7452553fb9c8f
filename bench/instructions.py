"""``python -m bench.instructions``: the instructions of a request in user space, by valgrind.

They are nearly the same on every run, whatever else the machine does, so that a change of a
percent shows; the kernel's are not among them. Some clients send a request each, and the next one
when all have their responses. Settings are taken from the environment, as in
``PLANTSTORE_METRICS=127.0.0.1:9464 python -m bench.instructions``.
"""

import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.servers import PLANTSTORE, Server, running_service
from bench.stores import SPACING, Store, encode_cursor, fill_store
from bench.wire import WrongResponseError

_PLANTS = 10_000
_CLIENTS = 32
_WARM_ROUNDS = 3
_ROUNDS = 30
_BAD = 400
_START_SECONDS = 3  # then the service has done what it does once, soon after its start
_TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)

Request = tuple[str, str, str | None]  # method, path, body


def _requests(kind: str) -> Iterator[Request]:
    """Requests of a kind, each different where it is about one plant or page."""
    for number in count(1):
        plant = f'{{"id":{10**15 + number},"name":"Monstera deliciosa","tag":"tropical"}}'
        page = f"/plants?limit=100&after={encode_cursor(number)}"
        yield {
            "create": ("POST", "/plants", plant),
            "delete": ("DELETE", f"/plants/{SPACING * number}", None),
            "list, from the database": ("GET", page, None),
            "list, again": ("GET", "/plants?limit=100", None),
        }[kind]


_KINDS = ("create", "delete", "list, from the database", "list, again")


class Clients:
    """The clients of a store's service."""

    def __init__(self, service: Server, store: Store, stack: ExitStack) -> None:
        address = service.origin.removeprefix("http://")
        self._connections = [
            stack.enter_context(closing(HTTPConnection(address))) for _ in range(_CLIENTS)
        ]
        self._headers = {"Authorization": f"Bearer {store.token}"}

    def send(self, requests: Iterator[Request], rounds: int) -> None:
        """Send a request of each client at the same time, so many times.

        :raises WrongResponseError: one was refused.
        """
        for _ in range(rounds):
            for connection, (method, path, body) in zip(self._connections, requests, strict=False):
                headers = self._headers | ({"Content-Type": "application/json"} if body else {})
                connection.request(method, path, body, headers)
            for connection in self._connections:
                response = connection.getresponse()
                content = response.read()
                if response.status >= _BAD:
                    raise WrongResponseError(f"{response.status}: {content[:200]!r}")


def _valgrind(out: Path) -> Sequence[str]:
    options = ("--instr-atstart=no", f"--callgrind-out-file={out}")
    return ("valgrind", "--quiet", "--tool=callgrind", *options, *PLANTSTORE)


def _control(service: Server, *options: str) -> None:
    command = ["callgrind_control", *options, str(service.pid)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _measure(service: Server, clients: Clients, kind: str, out: Path) -> float:
    """The instructions of a request of this kind."""
    requests = _requests(kind)
    clients.send(requests, _WARM_ROUNDS)
    _control(service, "--instr=on")
    clients.send(requests, _ROUNDS)
    _control(service, "--dump")
    _control(service, "--instr=off")
    newest = max(out.parent.glob(f"{out.name}.*"), key=lambda file: file.stat().st_mtime_ns)
    total = _TOTAL.search(newest.read_text(encoding="utf-8"))
    if total is None:
        raise WrongResponseError(f"{newest} has no totals")
    return int(total[1]) / (_CLIENTS * _ROUNDS)


def main() -> None:
    """Measure each kind of request."""
    table = Table("request", "instructions", box=None, pad_edge=False)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        out = folder / "callgrind"
        store = fill_store(folder / "plants.db", _PLANTS)
        service = stack.enter_context(running_service(store.database, folder, _valgrind(out)))
        clients = Clients(service, store, stack)
        time.sleep(_START_SECONDS)
        for kind in _KINDS:
            table.add_row(kind, f"{_measure(service, clients, kind, out):,.0f}")
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
