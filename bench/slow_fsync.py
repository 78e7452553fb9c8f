"""A disk that is slow to make writes durable: ``slow_fsync.c``, compiled for this run."""

import subprocess
from pathlib import Path

DELAY_SECONDS = 0.005

_SOURCE = Path(__file__).with_suffix(".c")


def slow_down(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The command, to be run with each of its fsyncs taking ``DELAY_SECONDS`` more."""
    library = folder / "slow_fsync.so"
    delay = f"-DDELAY_US={DELAY_SECONDS * 1e6:.0f}"
    compile_it = ["gcc", "-shared", "-fPIC", "-O2", "-Wall", delay, "-o", str(library)]
    subprocess.run([*compile_it, str(_SOURCE), "-ldl"], check=True)
    return ("env", f"LD_PRELOAD={library}", *command)
