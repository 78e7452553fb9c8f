"""The files for systemd, Docker, Compose, Kubernetes and GitHub are valid."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import pytest
import yaml

from plantstore.core.sources import SYSTEM_FILE, Sources
from plantstore.features import FEATURES
from plantstore.program.loading import load_settings
from tests.cli.program import PLANTSTORE

IS_ROOT = os.geteuid() == 0
ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TOOLS = ROOT / ".venv-tools" / "bin"
UNITS = sorted((DEPLOY / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
MAX_EXPOSURE = 20  # tenths


def run(*command: str | Path) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    return output


def analyze(folder: Path) -> tuple[str, ...]:
    """The command for units in this folder, in user mode, which needs no root."""
    # Systemd's own units are where it is installed, or where scripts/need unpacked it.
    folders = (folder, *(ROOT / ".tools" / "root").glob("**/systemd/user"))
    path = f"SYSTEMD_UNIT_PATH={':'.join(map(str, folders))}:"
    return ("env", path, f"XDG_RUNTIME_DIR={folder}", "systemd-analyze", "--user")


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_units_are_hardened(unit: Path, tmp_path: Path) -> None:
    run(*analyze(tmp_path), "security", "--offline=yes", f"--threshold={MAX_EXPOSURE}", unit)


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for unit in UNITS:
        text = unit.read_text().replace("/opt/plantstore/bin/plantstore", "/bin/sh")
        (tmp_path / unit.name).write_text(text.replace("/bin/kill", "/bin/sh"))
    for started in re.findall(
        r"^OnFailure=(.+)$", "".join(map(Path.read_text, UNITS)), re.MULTILINE
    ):
        assert (tmp_path / started).exists()  # systemd-analyze does not check this
    names = [unit.name.replace("@.", "@8081.") for unit in UNITS]
    assert not run(*analyze(tmp_path), "verify", *(tmp_path / name for name in names))


def test_units_and_commands_use_the_same_settings_file() -> None:
    for unit in SERVICES:
        text = unit.read_text()
        assert f"/plantstore --settings {SYSTEM_FILE} " in text or "bin/plantstore" not in text
    loaded = load_settings(Sources({}, {}, str(DEPLOY / "plantstore.toml")))
    assert loaded.database == "sqlite:////var/lib/plantstore/plants.db"


def test_the_dockerfile_passes_a_linter() -> None:
    run(TOOLS / "hadolint", DEPLOY / "Dockerfile")


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("compose-spec", "deploy/compose*.yaml"),
        ("github-workflows", ".github/workflows/*"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/*"),
    ],
)
def test_compose_and_github_files_match_their_schemas(schema: str, file: str) -> None:
    check = (TOOLS / "check-jsonschema", "--builtin-schema", f"vendor.{schema}")
    run(*check, *ROOT.glob(file))


def test_the_workflow_runs_an_existing_script_and_every_feature() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    *_, last = workflow["jobs"]["test"]["steps"]
    assert os.access(ROOT / last["run"], os.X_OK)
    features = workflow["jobs"]["without"]["strategy"]["matrix"]["feature"]
    assert features == list(FEATURES)


def test_the_kubernetes_manifest_and_its_settings_are_valid() -> None:
    manifest = DEPLOY / "kubernetes" / "plantstore.yaml"
    run(TOOLS / "kubernetes-validate", "--strict", manifest)
    (deployment, *_) = yaml.safe_load_all(manifest.read_text())
    pod = deployment["spec"]["template"]["spec"]
    for container in (*pod["initContainers"], *pod["containers"]):
        secret = {"PLANTSTORE_DATABASE": "sqlite:///x.db", "PLANTSTORE_TOKEN": token_hex(32)}
        environ = {
            variable["name"]: variable.get("value") or secret[variable["name"]]
            for variable in container["env"]
        }
        assert environ.keys() > secret.keys()
        settings = load_settings(Sources({}, environ))
        stop_time = settings.lame_duck + settings.drain_timeout + settings.write_timeout
        assert stop_time < pod["terminationGracePeriodSeconds"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users reach, unlike pytest's."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("name", ["compose.yaml", "compose.postgresql.yaml"])
def test_compose_gives_its_user_secrets_that_only_it_may_read(open_folder: Path, name: str) -> None:
    """Runs the shell commands of its services in folders of the test."""
    services = yaml.safe_load((DEPLOY / name).read_text())["services"]
    mounted, copied = open_folder / "mounted", open_folder / "copied"
    for folder in (mounted, copied):
        folder.mkdir()

    def run_service(service: str, command: str, *prefix: str) -> "subprocess.CompletedProcess[str]":
        *shell, script = services[service]["entrypoint"][:3]
        script = script.replace("$$", "$").replace("exec plantstore", command)
        script = script.replace("/run/secrets", str(mounted)).replace(
            "/run/plantstore", str(copied)
        )
        script = script if IS_ROOT else script.replace("-o 10001 -g 10001", "")
        arguments = [*prefix, *shell, script, "plantstore", "serve"]
        return subprocess.run(arguments, capture_output=True, text=True, check=False)

    for secret in services["secrets"]["secrets"]:
        (mounted / secret).touch(0o600)
        refused = run_service("secrets", "")
        assert (refused.returncode, refused.stderr[:24]) == (
            1,
            f"the secret {secret} is empty"[:24],
        )
        (mounted / secret).write_text(token_hex(32))
        (mounted / secret).chmod(0o600)
    allowed = ",".join(f"+{right.lower()}" for right in services["secrets"]["cap_add"])
    container = ("setpriv", f"--bounding-set=-all,{allowed}", "--no-new-privs") if IS_ROOT else ()
    result = run_service("secrets", "", *container)
    assert result.returncode == 0, result.stderr
    user = ("setpriv", "--reuid=10001", "--regid=10001", "--clear-groups") if IS_ROOT else ()
    run(*user, "cat", copied / "token")
    assert (copied / "token").stat().st_mode & 0o777 == 0o400
    if "entrypoint" in services["plantstore"]:
        started = run_service("plantstore", 'echo "$PGPASSWORD"', *user)
        assert started.stdout.startswith((mounted / "postgres-password").read_text())
        (copied / "postgres-password").unlink()
        assert run_service("plantstore", "echo started", *user).returncode == 1


def test_the_backup_units_command_makes_a_backup(tmp_path: Path) -> None:
    """Runs the unit's command with the shipped settings, in folders of the test."""
    settings = tmp_path / "plantstore.toml"
    paths = {
        "/var/lib/plantstore": str(tmp_path / "state"),
        "/var/backups/plantstore": str(tmp_path / "backups"),
        "/opt/plantstore/bin/plantstore": shlex.join(PLANTSTORE),
        SYSTEM_FILE: str(settings),
    }
    unit = (DEPLOY / "systemd" / "plantstore-backup.service").read_text()
    shipped = (DEPLOY / "plantstore.toml").read_text()
    for documented, actual in paths.items():
        unit, shipped = unit.replace(documented, actual), shipped.replace(documented, actual)
    settings.write_text(shipped)
    (command,) = re.findall(r"^ExecStart=(.+)$", unit, re.MULTILINE)
    (tmp_path / "backups").mkdir()
    run(*PLANTSTORE, "--settings", settings, "store", "create", "nursery")
    for _ in range(2):
        output = run("env", "-i", *shlex.split(command))
        assert "stores: 1" in output
    assert len(list((tmp_path / "backups").glob("plants-*Z.db"))) == 2
