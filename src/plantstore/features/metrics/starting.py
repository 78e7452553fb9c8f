"""Starts metrics if they are configured; otherwise nothing of them is imported.

Workers keep their values in one folder, with a set of files for each. Invariant: no counter goes
down while the service runs: a worker's replacement continues its files. They are in memory if
possible: a process that writes to a mapped file dies if the disk is full.
"""

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from plantstore.core.errors import SetupError
from plantstore.feature import Start
from plantstore.features.metrics import MetricsSettings
from plantstore.http.app import App

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus-client's variable
_PREFIX = "plantstore-metrics-"


@contextmanager
def surround(start: Start) -> Iterator[None]:
    """Make the folder that workers share, before they are forked.

    :raises SetupError: the address is not available.
    """
    address = start.settings.of(MetricsSettings).metrics
    if address is not None:
        with refusing(address):
            host, port = read_address(address, start.settings.port)
            family, *_, place = socket.getaddrinfo(host, port)[0]
            socket.create_server((str(place[0]), port), family=family).close()
    if address is None or start.settings.workers == 1:
        yield
        return
    memory = os.environ.get("RUNTIME_DIRECTORY", "/dev/shm")  # noqa: S108 - the folder is ours alone
    parent = memory if os.access(memory, os.W_OK) else gettempdir()
    for folder in Path(parent).glob(f"{_PREFIX}*"):
        with suppress(PermissionError, ValueError, OverflowError):  # another user's, or not ours
            try:
                os.kill(int(folder.name.split("-")[2]), 0)
            except ProcessLookupError:  # it was killed
                shutil.rmtree(folder, ignore_errors=True)
    with TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent) as made:
        os.environ[FOLDER] = made
        import plantstore.features.metrics.meter  # noqa: F401, PLC0415 - for all workers

        yield


def read_address(address: str, base: int) -> tuple[str, int]:
    """The host and port of an address; a port such as ``+1000`` is added to ``base``."""
    host, _, given = address.rpartition(":")
    return host.strip("[]"), int(given) + (base if given.startswith("+") else 0)


@contextmanager
def refusing(address: str) -> Iterator[None]:
    """Raise a SetupError if the block cannot listen on this address."""
    try:
        yield
    except (OSError, OverflowError, UnicodeError) as error:  # the last two for invalid host names
        reason = error.strerror if isinstance(error, OSError) else error
        raise SetupError(
            f"cannot serve metrics on {address}: {reason}; choose another --metrics"
        ) from None


def add_metrics(app: App) -> None:
    if (address := app.settings.of(MetricsSettings).metrics) is not None:
        from plantstore.features.metrics.exporter import serve_metrics  # noqa: PLC0415
        from plantstore.features.metrics.meter import measure  # noqa: PLC0415

        serve_metrics(address, app.settings.port, app.number)
        measure(app)
