"""``plantstore serve``: its logs, its startup errors, and its settings."""

import json
import re
import socket
import sys
from pathlib import Path

import httpx
import pytest

from plantstore.core.errors import SetupError
from plantstore.databases import open_session
from tests.cli.program import PLANTSTORE, Program
from tests.service import JSON, Service


class ServiceWithFlags(Service):
    """A service with flags on its command line."""

    def __init__(self, folder: Path, *flags: str, **settings: object) -> None:
        script = f'exec "$@" {" ".join(flags)}'
        command = ("sh", "-c", script, "sh", *PLANTSTORE)
        super().__init__(folder, command=command, settings=settings)


def test_a_port_in_use_is_reported_with_the_flags_to_change(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        message = program.refusal("serve", "--port", port)
        assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in message
        assert "choose another --port or --host" in message


@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.1", "a..b"])
def test_an_unavailable_host_is_refused_and_creates_no_database(tmp_path: Path, host: str) -> None:
    fresh = Program(tmp_path)
    assert f"cannot listen on {host}" in fresh.refusal("serve", "--host", host, "--port", "0")
    assert list(fresh.folder.iterdir()) == []  # no database was created


def test_an_invalid_setting_is_reported_with_its_source(program: Program) -> None:
    assert "PLANTSTORE_PORT is '70000'" in program.refusal("serve", PLANTSTORE_PORT="70000")
    assert "--port is 70000" in program.refusal("serve", "--port", "70000", status=2)
    assert "is set alone" in program.refusal("serve", "--tls-key", "key.pem", status=2)
    file = program.folder / "settings.toml"
    file.write_text("drain_timeout = nan\n")
    assert f"drain_timeout in {file} is nan" in program.refusal("--settings", str(file), "serve")
    for command in ("serve", "token list"):
        missing = program.refusal("--settings", "nowhere.toml", *command.split())
        assert "cannot read the settings file nowhere.toml: No such file" in missing
    missing = program.refusal("serve", "--tls-cert", "nowhere.pem", "--tls-key", str(file))
    assert "cannot read tls_cert or tls_key at nowhere.pem: No such file or directory" in missing
    secret = program.refusal("check", PLANTSTORE_RATE_LIMIT_FILE="/nowhere/rate")
    assert "PLANTSTORE_RATE_LIMIT_FILE names /nowhere/rate, which cannot be read" in secret


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://ada:se%cret@db/plants", "not valid: invalid percent-encoded token; write"),
        ("postgresql://ada:secret@[::1/plants", "not valid: end of string reached when looking"),
        ("postgresql:/ada:se%cret@db/plants", "begin with 'postgresql': write"),
        ("host=db user=ada password=se%cret", "begin with 'host': write"),
        ("plants.db", "begin with 'plants.db': write"),
    ],
)
def test_an_error_of_a_database_url_does_not_show_its_password(url: str, message: str) -> None:
    with pytest.raises(SetupError) as refused:
        open_session(url)
    assert message in str(refused.value)
    assert "cret" not in str(refused.value)


def test_a_flag_overrides_its_variable(tmp_path: Path) -> None:
    """The setting is the allowed origins of CORS, which ``/livez`` returns."""
    flags, variable = ("https://a.example", "https://b.example"), "https://variable.example"
    options = " ".join(f"--cors-origin {flag}" for flag in flags)
    with ServiceWithFlags(tmp_path, options, cors_origins=variable) as service:
        for origin, allowed in (*zip(flags, flags, strict=True), (variable, None)):
            response = httpx.get(f"{service.origin}/livez", headers={"Origin": origin})
            assert response.headers.get("access-control-allow-origin") == allowed


def test_the_default_database_is_in_the_users_data_folder(program: Program) -> None:
    del program.environ["PLANTSTORE_DATABASE"]
    program.out("migrate")
    (database,) = program.folder.rglob("plantstore.db")
    assert database.stat().st_mode & 0o777 == 0o600
    if sys.platform == "linux":
        assert database == program.folder / ".local/share/plantstore/plantstore.db"


def test_the_log_is_text_by_default(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        assert service.stop() == 0
    lines = service.log().splitlines()
    assert len(lines) == 3
    for line in lines:
        assert re.match(r"\d{4}-\d\d-\d\dT[\d:.]+Z (INFO|WARNING) [\w.]+: ", line)


def test_the_log_is_json_if_configured(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"log_format": "json", "workers": 2}) as service:
        assert service.stop() == 0
    records = [json.loads(line) for line in service.log().splitlines()]
    assert len(records) >= 2
    for record in records:
        assert record.keys() >= {"time", "level", "logger", "message", "process"}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", record["time"])


def test_no_token_is_written_to_the_log_or_the_database(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"access_log": True}) as service:
        token = service.make_token()
        secret = token.split("_")[2]
        for file in (tmp_path / "plants.db", tmp_path / "plants.db-wal"):
            assert secret.encode() not in file.read_bytes()
        for headers in (
            {"Authorization": f"Bearer {token}"},
            {"Authorization": f"Bearer {token}x"},
            {"Authorization": f"Basic {token}"},
        ):
            for path in ("/plants", f"/plants?tag={token}", f"/{token}", f"/stores/{token}/plants"):
                httpx.get(f"{service.origin}{path}", headers=headers)
                content = f'{{"id": 1, "name": "{token}"}}'
                httpx.post(f"{service.origin}{path}", headers=headers | JSON, content=content)
                httpx.delete(f"{service.origin}/plants/{token}", headers=headers)
        service.revoke(token)
        httpx.get(f"{service.origin}/plants", headers={"Authorization": f"Bearer {token}"})
    assert secret not in service.log()


def test_serve_imports_only_the_modules_that_it_needs(tmp_path: Path) -> None:
    shows_imports = (sys.executable, "-X", "importtime", "-m", "plantstore")
    with Service(tmp_path, command=shows_imports) as service:
        imported = {line.rpartition("|")[2].strip() for line in service.log().splitlines()}
    assert {"plantstore.http.app", "plantstore.sqlite.database"} <= imported
    unneeded = {"email", "multiprocessing", "plantstore.cli.tokens", "prometheus_client"}
    assert not imported & (unneeded | {"psycopg", "secrets", "tomllib"})
