"""``python -m bench.instructions``: count a request's instructions in user space, by valgrind.

The count is nearly the same on every run, even on a busy machine, so a change of one percent shows.
It excludes the kernel and periodic work. Several clients send a request each, and the next one when
all have responses. The service is stopped while they send, so all requests arrive at once, and the
writes are one batch. Settings come from the environment: ``PLANTSTORE_METRICS=127.0.0.1:9464 python
-m bench.instructions``.
"""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

import click

from bench.requests import Request, make_requests, receive, send
from bench.servers import PYTHON, Server, WrongResponseError, running_service
from bench.stores import fill_store

_PLANTS = 10_000
_CLIENTS = 32
_WARM_ROUNDS = 3
_ROUNDS = 30
_IDLE_SECONDS = 5
_START_SECONDS = 3  # the work just after a start is done by then
_TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)
# Under valgrind writes are slow, too, and a batch would be applied in pieces.
_PROGRAM = """
from plantstore.program import main
from plantstore.sqlite import writer
writer._APPLYING_SECONDS = 60
main()
"""
_SETTINGS = {"PLANTSTORE_SLOW_REQUEST": "0"}  # under valgrind all are slow, and would be logged
_KINDS = (
    *("create", "create, traced", "create, keyed", "delete"),
    *("list, from the database", "list, same bytes", "list, same bytes, traced", "events"),
)


def main() -> None:
    """Measure each kind of request."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        out = Path(name) / "callgrind"
        store = fill_store(f"sqlite:///{name}/plants.db", _PLANTS)
        options = ("--quiet", "--tool=callgrind", "--instr-atstart=no")
        command = ("valgrind", *options, f"--callgrind-out-file={out}", PYTHON, "-c", _PROGRAM)
        service = stack.enter_context(
            running_service(store.database, Path(name), command, environ=_SETTINGS)
        )
        address = service.origin.removeprefix("http://")
        clients = [stack.enter_context(closing(HTTPConnection(address))) for _ in range(_CLIENTS)]
        time.sleep(_START_SECONDS)
        count = partial(_count, service, out)
        idle, seconds = count(partial(time.sleep, _IDLE_SECONDS))
        for kind in _KINDS:
            load = partial(_load, service, clients, store.token, make_requests(kind))
            load(_WARM_ROUNDS)
            total, took = count(partial(load, _ROUNDS))
            own = (total - idle / seconds * took) / (_CLIENTS * _ROUNDS)
            click.echo(f"{kind:25} {own:>9,.0f}")


def _load(
    service: Server,
    clients: Sequence[HTTPConnection],
    token: str,
    requests: Iterator[Request],
    rounds: int,
) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    for _ in range(rounds):
        os.kill(service.pid, signal.SIGSTOP)
        for client in clients:
            send(client, next(requests), headers)
        os.kill(service.pid, signal.SIGCONT)
        for client in clients:
            receive(client)


def _count(service: Server, out: Path, work: Callable[[], None]) -> tuple[int, float]:
    """The service's instructions during the work, and the seconds that the work takes."""
    _control(service, "--instr=on")
    began = time.monotonic()
    work()
    seconds = time.monotonic() - began
    _control(service, "--dump")
    _control(service, "--instr=off")
    newest = max(out.parent.glob(f"{out.name}.*"), key=lambda file: file.stat().st_mtime_ns)
    total = _TOTAL.search(newest.read_text(encoding="utf-8"))
    if total is None:
        raise WrongResponseError(f"{newest} has no totals")
    return int(total[1]), seconds


def _control(service: Server, option: str) -> None:
    command = ["callgrind_control", option, str(service.pid)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
