"""Builds of different commits have different versions; builds of one commit are identical."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from zipfile import ZipFile

import msgspec
import pytest

from building.version import NUMBER
from plantstore.features.page.files import File, decompress
from tests.checkout import copy_project

ROOT = Path(__file__).parents[2]
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@plants.example")


class Checkout:
    """A checkout of the project, with this number for its next release."""

    def __init__(self, folder: Path, number: str) -> None:
        self.folder = copy_project(folder)
        version = folder / "building" / "version.py"
        version.write_text(version.read_text().replace(f'"{NUMBER}"', f'"{number}"'))
        shutil.copy(ROOT / ".gitignore", folder)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.commit()

    def git(self, *arguments: str) -> str:
        return run(*GIT, "-C", self.folder, *arguments)

    def commit(self) -> str:
        """Commit the staged changes, if any; return the commit's hash."""
        self.git("commit", "--quiet", "--allow-empty", "--message=Change")
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "checkout", "9.1.0.dev")


def run(*command: str | Path, folder: Path = ROOT, seed: str = "0") -> str:
    environ = os.environ | {"PYTHONHASHSEED": seed}
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environ
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def build(folder: Path, kind: str = "wheel", seed: str = "0") -> Path:
    """Build a checkout's folder; return the file, in a new folder beside it."""
    output = Path(tempfile.mkdtemp(dir=folder.parent))
    hatchling = (sys.executable, "-m", "hatchling", "build", "--target", kind)
    run(*hatchling, "--directory", output, folder=folder, seed=seed)
    (built,) = output.iterdir()
    return built


def test_a_build_of_a_later_commit_is_an_upgrade(tmp_path: Path, checkout: Checkout) -> None:
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python, packages = tmp_path / "venv" / "bin" / "python", sysconfig.get_path("purelib")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-compile")
    for number in (1, 2):
        commit = checkout.commit() if number > 1 else checkout.git("rev-parse", "HEAD")
        run(*pip, "--upgrade", build(checkout.folder))
        version = f"9.1.0.dev{number}+g{commit[:7]}"
        # Its dependencies, which are installed already, come after its own package.
        program = f"import site; site.addsitedir({packages!r}); from plantstore.program import main"
        assert run(python, "-c", f"{program}; main()", "--version") == f"{version}\n"


def test_a_release_is_committed_tagged_and_built(checkout: Checkout) -> None:
    changelog = checkout.folder / "CHANGELOG.md"
    changelog.write_text("# Changelog\n\n## 9.1.0 (unreleased)\n\n- New.\n")
    for name, folder in ((".venv", sys.prefix), (".venv-tools", ROOT / ".venv-tools")):
        (checkout.folder / name).symlink_to(folder)
    for name, value in (("user.name", "Ada"), ("user.email", "ada@plants.example")):
        checkout.git("config", name, value)
    release = checkout.folder / "scripts" / "release"
    refused = subprocess.run(release, capture_output=True, text=True, check=False)
    assert (refused.returncode, "uncommitted" in refused.stderr) == (1, True)
    checkout.git("add", ".")
    checkout.commit()

    assert "Next:\n  git push --follow-tags" in run(release)
    assert checkout.git("describe").strip() == "v9.1.0"
    assert re.search(r"^## 9.1.0 \(\d{4}-\d\d-\d\d\)$", changelog.read_text(), re.MULTILINE)
    dist = checkout.folder / "dist"
    parts = json.loads((dist / "plantstore.cdx.json").read_text())["components"]
    assert {part["name"] for part in parts} >= {"apsw", "msgspec", "psycopg", "uvloop"}
    assert {file.name for file in dist.iterdir()} - {"plantstore.cdx.json"} == {
        *("plantstore-9.1.0-py3-none-any.whl", "plantstore-9.1.0.tar.gz", "requirements.txt")
    }


def test_a_wheel_without_git_history_has_the_plain_version(
    checkout: Checkout,
) -> None:
    """Also inside another project's checkout. No file is included that only the build needs."""
    archive = Checkout(checkout.folder / "archive", "9.1.0.dev").folder
    shutil.rmtree(archive / ".git")
    wheel = build(archive)
    assert wheel.name.split("-")[1] == "9.1.0.dev0"
    names = ZipFile(wheel).namelist()
    assert {Path(name).suffix for name in names if name.startswith("plantstore/")} == {
        *(".py", ".sql", ".txt", ".msgpack")
    }
    assert not [name for name in names if not name.startswith("plantstore") or "building" in name]


def test_wheels_of_one_commit_are_identical(tmp_path: Path, checkout: Checkout) -> None:
    """From the checkout and from the sdist; scripts/release compares wheels of a clone."""
    # Python's own way warns from 3.12 on without a filter, which 3.11.2 does not know.
    subprocess.run(["tar", "-xf", build(checkout.folder, "sdist"), "-C", tmp_path], check=True)
    (unpacked,) = tmp_path.glob("plantstore-*")
    folders = (checkout.folder, unpacked)
    wheels = [build(folder, seed=str(seed)) for seed, folder in enumerate(folders)]
    assert len({(wheel.name, wheel.read_bytes()) for wheel in wheels}) == 1


def test_a_rebuild_includes_edited_files(checkout: Checkout) -> None:
    package = checkout.folder / "src" / "plantstore"
    page = package / "features" / "page" / "index.html"
    page.write_text(page.read_text().replace("<title>Plant Store", "<title>Edited"))
    run(sys.executable, "-m", "building", folder=checkout.folder)
    content = (package / "built" / "page.msgpack").read_bytes()
    site = msgspec.msgpack.decode(content, type=dict[str, File])
    assert b"<title>Edited" in decompress(site["/"])
