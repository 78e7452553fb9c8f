"""Settings: their sources, their precedence and their values."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plantstore.core import sources
from plantstore.core.errors import SetupError
from plantstore.core.settings import Settings, default_database, load_database, without_password
from plantstore.core.sources import Sources, find_unknown
from plantstore.program.loading import SETTINGS, load_settings

URL = {"PLANTSTORE_DATABASE": "sqlite:///x.db"}
DECLARED = "5f3a9c0e7d1b4826af90c3e5d7b1a624"
NOT_DEFAULT: dict[str, tuple[str, Any]] = {
    "database": ("sqlite:///y.db", "sqlite:///y.db"),
    "host": ("::1", "::1"),
    "port": ("9000", 9000),
    "uds": ("/run/plants.sock", "/run/plants.sock"),
    "uds_mode": ("600", "600"),
    "workers": ("2", 2),
    "cors_origins": (
        "https://a.example, https://b.example",
        ("https://a.example", "https://b.example"),
    ),
    "log_format": ("json", "json"),
    "metrics": ("[::1]:9464", "[::1]:9464"),
    "access_log": ("true", True),
    "slow_request": ("0.5", 0.5),
    "trusted_proxies": ("10.0.0.0/8, 2001:db8::1", ("10.0.0.0/8", "2001:db8::1")),
    "public_url": ("https://plants.example/", "https://plants.example/"),
    "rate_limit": ("100/second", "100/second"),
    "max_plants": ("100", 100),
    "events_keep": ("7.5", 7.5),
    "token_expiry": ("90", 90),
    "audit_keep": ("30", 30),
    "webhook_allow_private": ("true", True),
    "webhook_key": ("k" * 32, "k" * 32),
    "token": (DECLARED, DECLARED),
    "invalid_token_rate": ("5/hour", "5/hour"),
    "max_wal_size": ("1048576", 2**20),
    "cache_size": ("0", 0),
    "max_requests": ("1000000", 1_000_000),
    "lame_duck": ("5", 5.0),
    "drain_timeout": ("1e-3", 0.001),
    "database_connections": ("20", 20),
    "database_timeout": ("1.5", 1.5),
    "prepare_statements": ("false", False),
}


def load(
    flags: dict[str, object], environ: dict[str, str], file: Path | None = None
) -> dict[str, Any]:
    return find_values(load_settings(Sources(flags, environ, str(file or ""))))


def find_values(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings.of(kind), name) for name, kind in SETTINGS.items()}


DEFAULTS = find_values(Settings(database="sqlite:///x.db"))


def test_unset_settings_have_their_defaults() -> None:
    assert load({}, URL) == DEFAULTS
    assert load({}, {})["database"] == default_database()


def test_every_setting_has_a_test_value() -> None:
    assert SETTINGS.keys() <= NOT_DEFAULT.keys() | {"tls_cert", "tls_key"}


def test_limits_are_derived_from_max_requests() -> None:
    settings = load_settings(Sources({}, URL | {"PLANTSTORE_MAX_REQUESTS": "256"}))
    assert settings.max_connections == 1024
    assert settings.max_streams == 16
    assert "max_streams" not in SETTINGS


def test_each_source_overrides_the_next(tmp_path: Path) -> None:
    for name, default in DEFAULTS.items():
        if name in {"tls_cert", "tls_key"}:  # their files must exist
            continue
        written, value = NOT_DEFAULT[name]
        file, secret = tmp_path / "settings.toml", tmp_path / "secret"
        file.write_text(f"{name} = {to_toml(value)}\n")
        in_file = URL | {"PLANTSTORE_SETTINGS": str(file)}
        if name == "database":
            del in_file["PLANTSTORE_DATABASE"]
        variable = f"PLANTSTORE_{name.upper()}"
        assert load({name: None}, in_file)[name] == value
        file.write_text(f"{name} = {to_toml(default)}\n")
        secret.write_text(f"  {written}\n")
        in_secret = in_file | {f"{variable}_FILE": str(secret)}
        assert load({}, in_secret)[name] == value
        in_variable = in_file | {variable: f" {written} \r\n"}  # white space is stripped
        assert load({}, in_variable)[name] == value
        if default is not None:
            assert load({name: default}, in_variable)[name] == default
        assert value != default


def to_toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return (
        f'"{"1/day" if value is None else value}"'
        if not isinstance(value, (int, float))
        else f"{value}"
    )


def test_the_settings_flag_overrides_the_settings_variable(tmp_path: Path) -> None:
    for name, port in (("named.toml", 1), ("of-variable.toml", 2)):
        (tmp_path / name).write_text(f"port = {port}\n")
    environ = URL | {"PLANTSTORE_SETTINGS": str(tmp_path / "of-variable.toml")}
    assert load({}, environ)["port"] == 2
    assert load({}, environ, tmp_path / "named.toml")["port"] == 1


def test_the_users_settings_file_overrides_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, own = tmp_path / "etc.toml", tmp_path / ".config" / "plantstore" / "plantstore.toml"
    monkeypatch.setattr(sources, "SYSTEM_FILE", str(system))
    home = {"HOME": str(tmp_path)}
    assert sources.find_settings_file(home) is None
    system.touch()
    assert sources.find_settings_file(home) == str(system)
    own.parent.mkdir(parents=True)
    own.touch()
    assert sources.find_settings_file(home) == str(own)
    assert sources.find_settings_file({"XDG_CONFIG_HOME": str(own.parents[1])}) == str(own)


def test_a_key_ending_in_file_names_a_file_beside_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    (tmp_path / "secret").write_text("7/second\n")
    file.write_text('rate_limit_file = "secret"\n')
    assert load({}, URL, file)["rate_limit"] == "7/second"
    assert load({}, URL | {"PLANTSTORE_RATE_LIMIT": "1/day"}, file)["rate_limit"] == "1/day"
    file.write_text('rate_limit_file = "secret"\nrate_limit = "1/day"\n')
    with pytest.raises(SetupError, match=r"^rate_limit in .* and rate_limit_file in .* both set"):
        load({}, URL, file)


def test_an_empty_secret_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(" \n")
    with pytest.raises(SetupError, match=r"^PLANTSTORE_DATABASE_FILE names an empty file: write"):
        load({}, {"PLANTSTORE_DATABASE_FILE": str(tmp_path / "secret")})


def test_files_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("port = 9000\r\n", encoding="utf-8-sig")
    (tmp_path / "secret").write_text("sqlite:///y.db\r\n", encoding="utf-8-sig")
    environ = {"PLANTSTORE_DATABASE_FILE": str(tmp_path / "secret")}
    settings = load({}, environ, tmp_path / "settings.toml")
    assert (settings["port"], settings["database"]) == (9000, "sqlite:///y.db")


@pytest.mark.parametrize("space", ["", " \r"])
def test_an_empty_variable_is_ignored(tmp_path: Path, space: str) -> None:
    empty = {f"PLANTSTORE_{name.upper()}": space for name in SETTINGS}
    assert load({}, empty | URL) == DEFAULTS
    (tmp_path / "secret").write_text("9000")
    (tmp_path / "settings.toml").write_text("workers = 2")
    more = {
        "PLANTSTORE_PORT_FILE": str(tmp_path / "secret"),
        "PLANTSTORE_SETTINGS": str(tmp_path / "settings.toml"),
    }
    settings = load({}, empty | URL | more)
    assert settings["workers"] == 2
    assert settings["port"] == 9000


def test_booleans_have_several_spellings() -> None:
    for value, words in ((True, "true True TRUE 1 yes Yes YES"), (False, "false FALSE 0 no No")):
        for word in words.split():
            environ = URL | {"PLANTSTORE_PREPARE_STATEMENTS": word}
            assert load({}, environ)["prepare_statements"] is value


@pytest.mark.parametrize("service", ["", "METRICS_"])
def test_service_variables_of_kubernetes_are_ignored(service: str) -> None:
    port = f"PLANTSTORE_{service}PORT"
    environ = {port: "tcp://10.0.0.1:80", f"{port}_80_TCP": "tcp://10.0.0.1:80"}
    environ |= {f"{port}_80_TCP_{name}": "1" for name in ("PROTO", "PORT", "ADDR")}
    environ |= {f"PLANTSTORE_{service}SERVICE_{name}": "1" for name in ("HOST", "PORT", "PORT_WEB")}
    assert [*find_unknown(environ, SETTINGS)] == []
    assert load({}, URL | environ) == DEFAULTS


def test_the_database_is_found_despite_other_invalid_settings(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('prot = 1\nport = "x"\ndatabase = "sqlite:///of-file.db"\n')
    wrong = {"PLANTSTORE_PORT": "abc", "PLANTSTORE_RATE_LIMIT_FILE": "/nowhere"}
    wrong["PLANTSTORE_SETTINGS"] = str(file)
    assert load_database(Sources({}, wrong)) == "sqlite:///of-file.db"
    assert load_database(Sources({}, URL | wrong)) == "sqlite:///x.db"
    assert (
        load_database(Sources({"database": "sqlite:///flag.db"}, URL | wrong))
        == "sqlite:///flag.db"
    )
    assert load_database(Sources({}, {})) == default_database()
    file.write_text("database = 1")
    with pytest.raises(SetupError, match="database"):
        load_database(Sources({}, wrong))


def test_removing_a_feature_removes_its_settings() -> None:
    without = "features.FEATURES.pop('metrics')"
    program = (
        f"from plantstore import features; {without}; from plantstore.program import main; main()"
    )
    environ = {"PLANTSTORE_METRICS": "127.0.0.1:0"}
    for words, status, message in (
        ("serve --metrics 127.0.0.1:0", 2, "No such option '--metrics'"),
        ("settings show", 0, "Warning: PLANTSTORE_METRICS is not a setting\n"),
    ):
        call = [sys.executable, "-c", program, *words.split()]
        result = subprocess.run(call, capture_output=True, check=False, env=environ, text=True)
        assert result.returncode == status
        assert message in result.stderr


@pytest.mark.parametrize(
    "url",
    [
        *("sqlite:///plants.db", "postgresql://db/plants", "postgresql://ada@db/plants"),
        *("postgresql://ada:SECRET@db:5432/plants", "postgresql://:SECRET@/plants"),
        *(
            "postgresql:///p?user=a&password=SECRET&x=1",
            "postgresql://db/p?ssl%70assword=SECRET&x=1",
        ),
        "postgresql://a:SECRET@a,b/p?x=1&sslpassword=SECRET",
        "postgresql://db/p?sslkey=a.pem&passfile=b",
    ],
)
@pytest.mark.parametrize("secret", ["secret", "se:c/r@et"])
def test_passwords_in_database_urls_are_masked(url: str, secret: str) -> None:
    assert without_password(url.replace("SECRET", secret)) == url.replace("SECRET", "...")
