"""Imports and exports of any size take the same memory."""

import subprocess
import sys
from pathlib import Path

from tests.cli.program import PLANTSTORE, Program

SMALL, LARGE = 5_000, 100_000
MAX_GROWTH = 24 * 1024  # KiB: the filled caches take 15 MiB, all plants would take 20 more
# Runs a command, and prints its peak memory in KiB; macOS reports bytes. That of a child of the
# test would be at least the test's own.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(peak // (1024 if sys.platform == "darwin" else 1))
"""


def measure_peak_memory(program: Program, *arguments: str) -> int:
    command = [sys.executable, "-c", MEASURE, *PLANTSTORE, *arguments]
    return int(subprocess.check_output(command, cwd=program.folder, env=program.environ))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    peaks = []
    for count in (SMALL, LARGE):
        with (tmp_path / "plants.csv").open("w", encoding="utf-8") as file:
            file.write("id,name,tag\n")
            file.writelines(f"{n},Plant number {n},tag-{n % 1000}\n" for n in range(count))
        program.make_store(f"of-{count}")
        imported = measure_peak_memory(program, "import", "plants.csv", "--store", f"of-{count}")
        exported = measure_peak_memory(program, "export", "plants.ndjson", "--store", f"of-{count}")
        peaks.append((imported, exported))
    assert all(large - small < MAX_GROWTH for small, large in zip(*peaks, strict=True))
