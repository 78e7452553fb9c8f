"""The wheel is installed as people install it, and serves."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.service import Service

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).parent / "uv"
PIPX = ROOT / ".venv-deploy" / "bin" / "pipx"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the project as it is."""
    folder = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("plantstore-*.whl")
    return made


def install(tool: str, wheel: Path, folder: Path) -> Path:
    """Install it with a tool, into the folder; the program."""
    if tool == "pip":
        venv.create(folder / "venv", with_pip=True)
        command = [str(folder / "venv" / "bin" / "pip"), "install", "--quiet", str(wheel)]
        program = folder / "venv" / "bin" / "plantstore"
    else:
        start = [str(PIPX)] if tool == "pipx" else [str(UV), "tool"]
        command = [*start, "install", str(wheel)]
        program = folder / "bin" / "plantstore"
    places = {
        "PIPX_HOME": folder / "pipx",
        "PIPX_BIN_DIR": folder / "bin",
        "UV_TOOL_DIR": folder / "uv",
        "UV_TOOL_BIN_DIR": folder / "bin",
    }
    environ = os.environ | {name: str(path) for name, path in places.items()}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("tool", ["pip", "pipx", "uv"])
def test_an_installed_wheel_serves(tmp_path: Path, wheel: Path, tool: str) -> None:
    program = install(tool, wheel, tmp_path)
    with Service(tmp_path, command=(str(program),)) as service:
        with service.client(service.make_token()) as client:
            created = client.post("/plants", json={"id": 1, "name": "Ficus"})
            assert created.json() == {"name": "Ficus"}
            assert "<title>Plant Store<" in client.get("/").text
        assert service.stop() == 0
