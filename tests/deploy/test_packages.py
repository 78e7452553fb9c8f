"""The wheel is installed as people install it, and serves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import take
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
    """Install it as docs/install.md says, but into the folder; the program."""
    (folder / "bin").mkdir()
    heading = "For a service" if tool == "pip" else "For yourself"
    (block,) = (text for text in take("install.md", heading) if f"{tool} " in f"{text} ")
    block = block.replace("plantstore-1.0.0-py3-none-any.whl", str(wheel))
    block = block.replace("/opt/plantstore", str(folder / "venv"))
    script = block.replace("/usr/local/bin", str(folder / "bin"))
    variables = {
        "PIP_NO_COMPILE": "1",
        "PIPX_HOME": folder / "pipx",
        "PIPX_BIN_DIR": folder / "bin",
        "UV_TOOL_DIR": folder / "uv",
        "UV_TOOL_BIN_DIR": folder / "bin",
        "PATH": f"{UV.parent}:{PIPX.parent}:{os.environ['PATH']}",
    }
    environ = os.environ | {name: str(path) for name, path in variables.items()}
    run = ("sh", "-ec", script)
    done = subprocess.run(run, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "bin" / "plantstore"


@pytest.mark.parametrize("tool", ["pip", "pipx", "uv"])
def test_an_installed_wheel_serves(tmp_path: Path, wheel: Path, tool: str) -> None:
    program = install(tool, wheel, tmp_path)
    with Service(tmp_path, command=(str(program),)) as service:
        with service.client(service.make_token()) as client:
            created = client.post("/plants", json={"id": 1, "name": "Ficus"})
            assert created.json() == {"name": "Ficus"}
            assert "<title>Plant Store<" in client.get("/").text
            assert "<title>API reference" in client.get("/docs").text
        assert service.stop() == 0
    migrate = (program, "migrate", "--database", "postgresql://db.example/plants")
    refused = subprocess.run(migrate, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    said = "Error: PostgreSQL needs psycopg: pip install 'plantstore[postgres]'\n"
    assert refused.stderr == said
