"""A copy of the project, like a fresh checkout, for tests that set it up or install it."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = (
    *("scripts", "requirements", "building", "clients", "src"),
    *("Makefile", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE"),
)


def copy_project(folder: Path) -> Path:
    """Copy the files that setting up, building and serving need to the folder."""
    folder.mkdir()
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy(ROOT / name, folder)
    return folder
