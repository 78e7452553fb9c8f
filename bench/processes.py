"""What the kernel tells of a process: its CPU time and its memory."""

import os
from pathlib import Path

MIB = 2**20
_TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat after the name, which may hold blanks: see proc(5).
_UTIME, _STIME = 11, 12


def read_cpu_seconds(pid: int) -> float:
    """Seconds of CPU that all threads of the process have used."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    fields = text.rpartition(")")[2].split()
    return (int(fields[_UTIME]) + int(fields[_STIME])) / _TICKS


def read_children_seconds() -> float:
    """Seconds of CPU of this process's children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def read_machine_seconds() -> float:
    """Seconds of CPU that all processes of the machine have used."""
    user, nice, system = Path("/proc/stat").read_text(encoding="utf-8").split()[1:4]
    return (int(user) + int(nice) + int(system)) / _TICKS


def read_resident(pid: int) -> float:
    """MiB of memory that the process has now."""
    return _read_status(pid, "VmRSS")


def read_peak(pid: int) -> float:
    """The most MiB that it had since ``reset_peak``."""
    return _read_status(pid, "VmHWM")


def reset_peak(pid: int) -> None:
    """Let the peak begin anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="utf-8")


def _read_status(pid: int, name: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024 / MIB
    raise ValueError(f"/proc/{pid}/status has no {name}")
