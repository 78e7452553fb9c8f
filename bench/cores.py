"""One core for what is measured, another for the load, so that neither takes the other's time."""

import os
from collections.abc import Sequence

_CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE = _CORES[0]
LOAD_CORE = _CORES[-1]


def move_to_load_core() -> None:
    """Keep this process, and the loads that it starts, off the server's core."""
    os.sched_setaffinity(0, {LOAD_CORE})


def pin_to_server_core(command: Sequence[str]) -> tuple[str, ...]:
    """The command, to be run on the server's core; its process id stays the same."""
    return ("taskset", "--cpu-list", str(SERVER_CORE), *command)
