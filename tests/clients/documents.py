"""The two documents that clients are generated from, and the tools of tests/clients."""

import os
import subprocess
from pathlib import Path

from building.document import read_document

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
DOCUMENTS = {
    "interface": HERE / "interface.yaml",
    "ours": ROOT / "build" / "openapi.yaml",
}
NODE_MODULES = HERE / "node_modules"
PYTHON = ROOT / ".venv-tools" / "bin" / "python"


def write_ours() -> None:
    """Join our document's parts and write it where the tools find it."""
    ours = DOCUMENTS["ours"]
    ours.parent.mkdir(exist_ok=True)
    part = ours.with_suffix(f".{os.getpid()}")
    part.write_text(read_document(), encoding="utf-8")
    part.replace(ours)


write_ours()


def run(*command: object, folder: Path) -> str:
    """Run a command that must succeed; return its output."""
    result = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def tool(name: str) -> Path:
    return NODE_MODULES / ".bin" / name


# --typeRoots none ignores types that happen to be installed.
_OPTIONS = "--strict --target es2022 --module nodenext --skipLibCheck --typeRoots none"
TSC = (tool("tsc"), *_OPTIONS.split())
