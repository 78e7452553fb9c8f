"""``python -m bench.functions``: how many functions and files of the service a request takes.

The service runs in this process, by its command line; requests come over a socket, one after
another. A function counts, in whichever thread, where each request of a kind called it: what the
service does by itself from time to time does not count.
"""

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from types import FrameType

import click
from rich.console import Console
from rich.table import Table

import plantstore
from bench.servers import find_port, wait_until_ready
from bench.stores import SPACING, fill_store
from bench.wire import WrongResponseError

_PACKAGE = f"{Path(plantstore.__file__).parent}/"
_REPEATS = 10
_SETTLE_SECONDS = 0.02  # what a request does after its response counts too
_LISTS = ("list, from the database", "list, from memory", "list, again", "304", "304, again")

_BAD, _NOT_MODIFIED = 400, 304

Functions = set[tuple[str, str]]  # file and name


class Counter:
    """The service's functions that were called since the last ``take``."""

    def __init__(self) -> None:
        self._called: Functions = set()

    def start(self) -> None:
        """Count in this thread, and in those that start from now on."""
        threading.setprofile(self._count)
        sys.setprofile(self._count)

    def take(self) -> Functions:
        """What was counted."""
        called, self._called = self._called, set()
        return called

    def _count(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        # A comprehension is not a function of its own in newer Pythons.
        is_function = not code.co_name.startswith("<") or code.co_name == "<lambda>"
        if event == "call" and is_function and code.co_filename.startswith(_PACKAGE):
            self._called.add((code.co_filename.removeprefix(_PACKAGE), code.co_qualname))


def _run_service() -> None:
    """Run ``plantstore serve`` in this thread until a signal, with the environment's settings."""
    from plantstore.cli import main  # noqa: PLC0415 - the one place that knows how it is started

    sys.argv = ["plantstore", "serve"]
    try:
        main()
    except SystemExit as stopped:
        if stopped.code:
            raise


def _count_and_stop(origin: str, token: str, counter: Counter) -> dict[str, Functions]:
    """The functions that all requests of a kind called; then the service is stopped."""
    found: dict[str, Functions] = {}
    try:
        wait_until_ready(origin)
        with closing(HTTPConnection(origin.removeprefix("http://"))) as connection:
            for kind in _send_requests(connection, token, counter):
                called = counter.take()
                found[kind] = found.get(kind, called) & called
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
    return found


def _send_requests(connection: HTTPConnection, token: str, counter: Counter) -> Iterator[str]:
    """Send requests of each kind; the kind of each, when it is over."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for number in range(1, _REPEATS + 1):
        etag = ""
        plant = f'{{"id":{10**15 + number},"name":"Monstera deliciosa"}}'
        for kind, method, path, body in (
            ("create", "POST", "/plants", plant),
            ("delete", "DELETE", f"/plants/{SPACING * number}", None),
            *((kind, "GET", "/plants?limit=100", None) for kind in _LISTS),
        ):
            is_conditional = kind.startswith("304")
            condition = {"If-None-Match": etag} if is_conditional else {}
            counter.take()
            connection.request(method, path, body, headers | condition)
            response = connection.getresponse()
            response.read()
            if response.status >= _BAD or (response.status == _NOT_MODIFIED) != is_conditional:
                raise WrongResponseError(f"{kind} gives {response.status}")
            etag = response.headers.get("ETag", "")
            time.sleep(_SETTLE_SECONDS)
            yield kind


@click.command()
@click.option("--names", is_flag=True, help="Show the functions too.")
def main(*, names: bool) -> None:
    """Count the functions and files of the service that a request of each kind takes."""
    counter = Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        store = fill_store(Path(folder) / "plants.db", 1000)
        port = find_port()
        os.environ |= {"PLANTSTORE_DATABASE": store.database, "PLANTSTORE_PORT": str(port)}
        origin = f"http://127.0.0.1:{port}"
        client = threads.submit(_count_and_stop, origin, store.token, counter)
        counter.start()
        _run_service()
    _show(client.result(), names=names)


def _show(found: dict[str, Functions], *, names: bool) -> None:
    table = Table("request", "functions", "files", box=None, pad_edge=False)
    for kind, called in found.items():
        table.add_row(kind, str(len(called)), str(len({file for file, _ in called})))
        for file, name in sorted(called) if names else ():
            table.add_row(f"  {file} {name}")
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
