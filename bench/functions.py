"""``python -m bench.functions``: how many of the service's functions and files a request runs.

The service runs in this process, by its command line; requests come over a socket, one by one. A
function counts, in any thread, only if every request of a kind called it: periodic work does not
count.
"""

import os
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from types import FrameType

import click

import plantstore
from bench.requests import make_requests, receive, send
from bench.servers import wait_until_ready
from bench.stores import fill_store
from plantstore.program import main as run_plantstore
from tests.postgres.server import free_port

_PACKAGE = f"{Path(plantstore.__file__).parent}/"
_REPEATS = 10
_SETTLE_SECONDS = 0.02  # work after the response counts too
# The first list after a write is not cached, the second has not been seen by its bytes.
_KINDS = ("create", "delete", "list, changed", "list, cached", "list, same bytes")

Functions = set[tuple[str, str]]  # file and name
_called: Functions = set()


def _count(frame: FrameType, event: str, _argument: object) -> None:
    code = frame.f_code
    # In newer Pythons, a comprehension is not a function.
    is_function = not code.co_name.startswith("<") or code.co_name == "<lambda>"
    if event == "call" and is_function and code.co_filename.startswith(_PACKAGE):
        _called.add((code.co_filename.removeprefix(_PACKAGE), code.co_qualname))


def _count_and_stop(origin: str, token: str) -> dict[str, Functions]:
    """Count the functions that all requests of a kind called; then stop the service."""
    calls: dict[str, Functions] = {}
    requests = {kind: make_requests(kind) for kind in _KINDS}
    try:
        wait_until_ready(origin)
        with closing(HTTPConnection(origin.removeprefix("http://"))) as connection:
            for kind in _KINDS * _REPEATS:
                _called.clear()
                send(connection, next(requests[kind]), {"Authorization": f"Bearer {token}"})
                receive(connection)
                time.sleep(_SETTLE_SECONDS)
                calls[kind] = calls.get(kind, _called) & _called
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
    return calls


@click.command()
@click.option("--names", is_flag=True, help="Show the functions too.")
def main(*, names: bool) -> None:
    """Count the functions and files of the service that a request of each kind runs."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        store = fill_store(f"sqlite:///{folder}/plants.db", 1000)
        port = free_port()
        sys.argv = ["plantstore", "serve"]
        os.environ |= {"PLANTSTORE_DATABASE": store.database, "PLANTSTORE_PORT": str(port)}
        origin = f"http://127.0.0.1:{port}"
        client = threads.submit(_count_and_stop, origin, store.token)
        threading.setprofile(_count)
        sys.setprofile(_count)
        with suppress(SystemExit):
            run_plantstore()
    for kind, called in client.result().items():
        files = len({file for file, _ in called})
        click.echo(f"{kind:20} {len(called):3} functions {files:3} files")
        for file, name in sorted(called) if names else ():
            click.echo(f"  {file} {name}")


if __name__ == "__main__":
    main()
