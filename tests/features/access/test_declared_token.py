"""The token that the settings declare: valid from the first start until it is removed."""

import secrets
import signal
import socket
from pathlib import Path

import httpx
import pytest

from tests.cli.program import Program
from tests.service import Service
from tests.waiting import wait_until

PLANT = {"id": 7, "name": "Fern"}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_declared_token_is_valid_until_it_is_changed_or_removed(
    url: str, tmp_path: Path, workers: int
) -> None:
    first, second = secrets.token_urlsafe(40), secrets.token_hex(16)
    secret, settings = tmp_path / "token", tmp_path / "settings.toml"
    secret.write_text(f"{first}\n")
    settings.write_text('token_file = "token"\n')
    options = {"settings": settings, "workers": workers}
    with Service(tmp_path, database=url, settings=options) as service:
        with service.client(first) as client:
            assert client.post("/plants", json=PLANT).status_code == 200
            me = client.get("/me").json()
            assert client.get("/members").json()[0]["user"] == "declared"
            link = client.post("/links", json={"user": "declared"}).json()
        assert (me["user"], me["stores"][0]["role"]) == ("declared", "owner")
        secret.write_text("short")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "keeping the current declared token" in service.log())
        assert service.status_of(first) == 200  # a weak token changes nothing
        secret.write_text(f"{second}\n")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: service.status_of(second) == 200)
        assert service.status_of(first) == 401
        assert service.stop() == 0
        service.start()
        assert service.status_of(second) == 200
        settings.write_text("")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: service.status_of(second) == 401)
        assert service.log().count("ended the declared token ") == 2
        assert service.stop() == 0
        secret.write_text(first)
        settings.write_text('token_file = "token"\n')
        service.start()  # a removed token can be declared again
        assert (service.status_of(first), service.status_of(second)) == (200, 401)
        redeemed = httpx.post(f"{service.origin}/links/redeem", json={"code": link["code"]})
        assert redeemed.status_code == 404
    assert first not in service.log()
    assert second not in service.log()


def test_a_declared_token_stays_revoked_after_a_restart(url: str, tmp_path: Path) -> None:
    token = secrets.token_hex(32)
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url})
    with Service(tmp_path, database=url, settings={"token": token}) as service:
        assert service.status_of(token) == 200
        (listed,) = program.data("token", "list")
        assert (listed["label"], listed["user"], listed["store"]) == (
            *("declared", "declared"),
            "default",
        )
        assert (listed["state"], listed["expires_at"]) == ("active", None)
        program.out("token", "revoke", token)
        assert service.status_of(token) == 401
        assert service.stop() == 0
        service.start()
        assert service.status_of(token) == 401
    assert f"the declared token {listed['id']} was revoked: declare another" in service.log()


@pytest.mark.parametrize("other", [{}, {"PLANTSTORE_TOKEN": secrets.token_hex(32)}])
def test_a_failed_start_does_not_change_the_declared_token(
    url: str, tmp_path: Path, other: dict[str, str]
) -> None:
    token = secrets.token_hex(32)
    with (
        Service(tmp_path, database=url, settings={"token": token}) as service,
        socket.create_server(("127.0.0.1", 0)) as taken,
    ):
        program = Program(tmp_path, {"PLANTSTORE_DATABASE": url, **other})
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        program.refusal("serve", "--port", "0", "--metrics", address)
        changes = [row["action"] for row in program.data("audit", "list")]
        assert (service.status_of(token), changes) == (200, ["token declare"])


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("k7Qz" * 7, "has 28 characters, not 32 to 128"),
        ("k7Qz" * 9, "repeats itself"),
        ("changeme-changeme-changeme-change", "repeats itself"),
        ("0101101110001011101101001011000101", "repeats itself"),
        ("a secret of five words, with blanks", "contains blanks"),
        (f"pst_1_{'k7QzW9' * 8}x", "looks like a token of the service"),
    ],
)
def test_a_weak_declared_token_is_refused_and_not_printed(
    tmp_path: Path, token: str, reason: str
) -> None:
    program = Program(tmp_path, {"PLANTSTORE_TOKEN": token})
    for command in ("serve", "check"):
        message = program.refusal(command)
        assert f"Error: the setting token {reason}" in message
        assert "`openssl rand -hex 32`" in message
        assert token not in message


def test_settings_show_does_not_print_the_declared_token(tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_TOKEN": secrets.token_hex(32)})
    rows = program.data("settings", "show")
    assert [row["value"] for row in rows if row["setting"] == "token"] == ["..."]
