"""The installations of docs/install.md work, also if Python has no pip."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import copy_project
from tests.docs.pages import read_blocks
from tests.service import Service

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".venv-tools" / "bin"
INSTALL, BUILD = read_blocks("install.md", "For a service")
FOLDER = "cd plantstore\n"
PIPX, UV, UVX = read_blocks("install.md", "For yourself")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for installations; PATH has pipx, uv and a Python without pip."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    for name in ("pipx", "uv", "uvx"):
        (tmp_path / "bare" / "bin" / name).symlink_to(TOOLS / name)
    monkeypatch.setenv("PATH", f"{tmp_path}/bare/bin:/usr/bin:/bin")
    monkeypatch.setenv("PIP_NO_COMPILE", "1")
    monkeypatch.setenv("PIPX_HOME", f"{tmp_path}/pipx")
    monkeypatch.setenv("PIPX_BIN_DIR", f"{tmp_path}/bin")
    monkeypatch.setenv("UV_TOOL_DIR", f"{tmp_path}/uv")
    monkeypatch.setenv("UV_TOOL_BIN_DIR", f"{tmp_path}/bin")
    (tmp_path / "bin").mkdir()
    (tmp_path / "opt").mkdir()
    copy_project(tmp_path / "plantstore")
    return tmp_path


def script_for(machine: Path, *blocks: str) -> str:
    """A script of these blocks, in the machine's folders, without the clone of the project."""
    script = "".join(blocks).replace("git clone ADDRESS-OF-THIS-REPOSITORY plantstore", "")
    script = script.replace("/opt/", f"{machine}/opt/")
    return f"cd {machine}\n{script.replace('/usr/local/bin', f'{machine}/bin')}"


def assert_serves(machine: Path, *command: str) -> None:
    with Service(machine, command=command) as service:
        with service.client(service.make_token()) as client:
            created = client.post("/plants", json={"id": 1, "name": "Ficus"})
            assert created.json() == {"name": "Ficus"}
            assert "<title>Plant Store<" in client.get("/").text
            assert "<title>API reference" in client.get("/docs").text
        assert service.stop() == 0


def run_blocks(machine: Path, *blocks: str) -> subprocess.CompletedProcess[str]:
    command = ("sh", "-ec", script_for(machine, *blocks))
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "blocks",
    [[BUILD, "cd dist\n", INSTALL], [FOLDER, PIPX], [FOLDER, UV]],
    ids=["wheel", "pipx", "uv"],
)
def test_an_installed_program_serves(machine: Path, blocks: list[str]) -> None:
    result = run_blocks(machine, *blocks)
    assert result.returncode == 0, result.stderr
    assert_serves(machine, f"{machine}/bin/plantstore")


def test_uvx_runs_the_program_without_an_installation(machine: Path) -> None:
    script = script_for(machine, FOLDER, "exec ", UVX.replace("serve", '"$@"'))
    assert_serves(machine, "sh", "-ec", script, "sh")
    migrate = "--database postgresql://db.example/plants migrate"
    refused = run_blocks(machine, FOLDER, UVX.replace("serve --welcome", migrate))
    assert refused.returncode == 1
    message = "Error: PostgreSQL needs psycopg: pip install 'plantstore[postgres]'\n"
    assert refused.stderr.endswith(message)
