"""``plantstore serve --welcome`` prints a sign-in link, or a command for one, at every start."""

import json
import os
import re
import shlex
import sys
from contextlib import closing
from pathlib import Path

import pytest

from plantstore.core.model import Grant, Role
from plantstore.core.tokens import is_well_formed
from plantstore.databases import migrate
from plantstore.features.access.links import MAX_LINKS
from tests.cli.program import PLANTSTORE, Program
from tests.features.access.administration import open_administration
from tests.features.access.cli.welcome_service import CODE, WelcomeService, redeem, run_in_new_shell
from tests.postgres.server import PostgresServer
from tests.service import Service
from tests.waiting import wait_until

TOKEN = re.compile(r"\bpst_\w+")
INSTALLED = str(Path(sys.executable).with_name("plantstore"))
SHOWN = shlex.quote(INSTALLED)
OWN = shlex.join(PLANTSTORE)


def run_printed_calls(output: str, home: Path) -> None:
    calls = re.findall(r"^  curl (?:.*\\\n)*.*$", output, re.MULTILINE)
    assert len(calls) == 3
    responses = [run_in_new_shell(call.replace("curl", "curl -sS", 1), home) for call in calls]
    plant = {"name": "Monstera", "tag": "tropical"}
    assert [json.loads(response) for response in responses[:2]] == [plant, [plant]]
    assert responses[2] == ""


def test_the_first_start_prints_a_link_a_token_and_working_calls(tmp_path: Path) -> None:
    with WelcomeService(tmp_path) as service:
        output = service.output()
        assert f"Plant Store is running at {service.origin}\n" in output
        assert "The store nursery was created. Its owner is the user gardener.\n" in output
        address, code = service.link()
        assert address == service.origin
        assert "manage" in redeem(address, code)["scopes"]
        (token,) = set(TOKEN.findall(output))
        assert is_well_formed(token)
        assert "cannot manage members and tokens" in output
        run_printed_calls(output, tmp_path)
        with service.client(token) as client:
            assert client.get("/plants").json() == []
            assert "manage" not in client.get("/me").json()["scopes"]
        for secret in (token, code):
            assert secret not in service.log()


def test_on_a_unix_socket_the_printed_calls_work_without_a_link(tmp_path: Path) -> None:
    path = tmp_path / "a socket"
    service = WelcomeService(tmp_path, {"uds": path})
    for is_first in (True, False):
        service.launch()
        try:
            wait_until(lambda: "running" in service.output())
            run_in_new_shell(f"curl -sS --unix-socket '{path}' http://localhost/livez", tmp_path)
            output = service.output()
            assert f"Plant Store is running at unix:{path}\n" in output
            assert "browser" not in output
            if is_first:
                run_printed_calls(output, tmp_path)
            else:
                assert " token create --store nursery --user gardener" in service.commands()[0]
        finally:
            assert service.stop() == 0


def test_a_later_start_prints_a_link_for_its_new_port(tmp_path: Path) -> None:
    with WelcomeService(tmp_path) as service:
        first_origin = service.origin
        assert service.stop() == 0
        service.start()
        assert service.origin != first_origin
        assert TOKEN.search(service.output()) is None
        address, code = service.link()
        assert address == service.origin
        token = redeem(address, code)
        assert (token["store"], token["user"]) == ("nursery", "gardener")
        assert "manage" in token["scopes"]


@pytest.mark.parametrize(
    ("folder", "program", "printed"),
    [
        (".", PLANTSTORE, OWN),
        (".", (INSTALLED,), SHOWN),
        (str(Path(INSTALLED).parents[1]), ("bin/plantstore",), SHOWN),
        (".", ("plantstore",), SHOWN),
        (".", ("plantstore",), "plantstore"),
    ],
    ids=["module", "path", "relative", "activated", "on_path"],
)
def test_printed_commands_work_in_another_terminal_and_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    folder: str,
    program: tuple[str, ...],
    printed: str,
) -> None:
    monkeypatch.setenv("PATH", f"{Path(INSTALLED).parent}:{os.environ['PATH']}")
    if printed == "plantstore":
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "plantstore").symlink_to(INSTALLED)
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    with WelcomeService(tmp_path, program=program) as service:
        assert service.stop() == 0
        service.start()
        link, token = service.commands()
        prefix = f"{printed} --database {service.database}"
        assert link.startswith(f"{prefix} link create --store nursery --user gardener --manage")
        assert "--create" not in service.output()
        ((address, code),) = CODE.findall(f"  {run_in_new_shell(link, tmp_path)}")
        assert address == service.origin
        assert "manage" in redeem(address, code)["scopes"]
        with service.client(run_in_new_shell(token, tmp_path).strip()) as client:
            assert client.get("/me").json()["user"] == "gardener"


def test_printed_commands_name_the_settings_file_and_no_password(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    file = tmp_path / "my settings.toml"
    with postgres_server.fresh() as url:
        database = f"{url}{'&' if '?' in url else '?'}password=verysecret"
        migrate(database)
        file.write_text(f'database = "{database}"\n')
        program = (*PLANTSTORE, "--settings", str(file))
        with WelcomeService(tmp_path, database=database, program=program) as service:
            (link,) = service.commands()
            assert "verysecret" not in service.output()
            assert link.startswith(f"{OWN} --settings '{file}' link create ")
            assert link.endswith(f" --address {service.origin}")
            assert run_in_new_shell(link, tmp_path).startswith(f"{service.origin}/#code=")


def test_each_of_several_owners_gets_a_command(tmp_path: Path) -> None:
    with WelcomeService(tmp_path) as service:
        service.make_token("roof", "ada o'hara", role=Role.OWNER)
        assert service.stop() == 0
        service.start()
        assert CODE.search(service.output()) is None
        *links, _ = service.commands()
        tokens = [
            redeem(*CODE.findall(f"  {run_in_new_shell(link, tmp_path)}")[0]) for link in links
        ]
        names = [(token["store"], token["user"]) for token in tokens]
        assert names == [("nursery", "gardener"), ("roof", "ada o'hara")]


@pytest.mark.parametrize(
    "settings",
    [{"host": "0.0.0.0"}, {"public_url": "https://plants.example/"}],  # noqa: S104 - the test is about it
    ids=str,
)
def test_a_publicly_reachable_service_prints_a_command_and_no_link(
    tmp_path: Path, settings: dict[str, object]
) -> None:
    with WelcomeService(tmp_path, settings) as service:
        for _ in range(2):
            assert "#code" not in service.output()
            link = run_in_new_shell(service.commands()[0], tmp_path)
            origin = service.origin.replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - as above
            address = str(settings.get("public_url", f"{origin}/"))
            assert link.startswith(f"{address}#code=psl_")
            assert service.stop() == 0
            service.start()


def test_at_the_link_limit_the_service_starts_without_a_link(tmp_path: Path) -> None:
    with WelcomeService(tmp_path) as service:
        assert service.stop() == 0
        request = Grant(subject="gardener", label="", expires_at=None)
        with closing(open_administration(service.database)) as administration:
            for _ in range(MAX_LINKS - 1):
                administration.create_link("nursery", request)
        service.start()
        assert CODE.search(service.output()) is None
        assert len(service.commands()) == 2


def test_without_the_flag_nothing_is_created_or_printed(tmp_path: Path) -> None:
    script = f'exec "$@" >>{tmp_path}/out.txt'
    with Service(tmp_path, command=("sh", "-c", script, "sh", *PLANTSTORE)):
        assert (tmp_path / "out.txt").read_text() == ""
    assert Program(tmp_path).data("store", "list") == []
