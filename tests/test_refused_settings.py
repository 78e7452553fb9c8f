"""Invalid settings: the error names the source and the allowed values."""

import re
from pathlib import Path

import pytest

from plantstore.core.errors import SetupError
from plantstore.core.settings import load_database
from plantstore.core.sources import Sources, find_unknown
from plantstore.program.loading import SETTINGS, load_settings
from tests.test_settings import URL, load

BAD_VALUES = {
    "port": ("-1", "65536", "１２", "1.5"),
    "workers": ("0", "65"),
    "log_format": ("JSON",),
    "rate_limit": ("fast", "0/second", "1/second;2/minute", "1 per second"),
    "trusted_proxies": ("10.0.0.1/8", "10.0.0.1, proxy.example"),
    "invalid_token_rate": ("none",),
    "max_wal_size": ("1048575",),
    "cache_size": ("-1",),
    "max_requests": ("0", "1000001"),
    "drain_timeout": ("0", "-1", "86401", "nan", "inf", "ten"),
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_an_invalid_value_is_refused_with_its_variable(name: str) -> None:
    variable = f"PLANTSTORE_{name.upper()}"
    for value in BAD_VALUES[name]:
        with pytest.raises(SetupError, match=f"^{variable} (is '{value}'|has )"):
            load({}, URL | {variable: value})


REFUSALS = (
    ("--port", 70000, "must be a whole number, at least 0 and at most 65535"),
    ("--rate-limit", "fast", "must be a rate, such as 100/second;"),
    ("PLANTSTORE_WORKERS", "two", "must be a whole number, at least 1"),
    ("PLANTSTORE_DRAIN_TIMEOUT", "0", "must be a number, above 0 and"),
    ("PLANTSTORE_LOG_FORMAT", "xml", "must be json or text"),
    ("PLANTSTORE_PREPARE_STATEMENTS", "maybe", "must be true or false"),
    ("PLANTSTORE_UDS_MODE", "rw", "must be three octal digits"),
)


@pytest.mark.parametrize(("source", "value", "allowed"), REFUSALS)
def test_an_error_names_the_source_and_the_allowed_values(
    source: str, value: str | int, allowed: str
) -> None:
    is_flag = source.startswith("--")
    flags: dict[str, object] = {source[2:].replace("-", "_"): value} if is_flag else {}
    words = re.escape(f"{source} is {value!r}, but {allowed}")
    with pytest.raises(SetupError, match=f"^{words}"):
        load(flags, URL if is_flag else URL | {source: str(value)})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("port = '8O80'", "port in {} is '8O80', but must be a whole number"),
        ("trusted_proxies = 1", "trusted_proxies in {} is 1, but must be a list of texts"),
        (
            "cors_origins = ['https://a.example/']",
            (
                "cors_origins in {} is ['https://a.example/'], "
                "but must be *, none, or origins such as https://plants.example"
            ),
        ),
        (
            "public_url = 'plants.example'",
            (
                "public_url in {} is 'plants.example', but must be an "
                "address such as https://plants.example, a path, or a dot"
            ),
        ),
        ("host = ['a']", "host in {} is ['a'], but must be text"),
    ],
)
def test_an_error_names_the_key_and_the_settings_file(
    tmp_path: Path, line: str, words: str
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(line)
    with pytest.raises(SetupError, match=f"^{re.escape(words.format(file))}"):
        load({}, URL, file)


def test_an_error_does_not_show_the_content_of_a_secret_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2")
    with pytest.raises(
        SetupError, match=r"^PLANTSTORE_PORT_FILE has a value that must be a whole"
    ) as refused:
        load({}, URL | {"PLANTSTORE_PORT_FILE": str(tmp_path / "secret")})
    assert "hunter2" not in str(refused.value)


def test_a_variable_and_its_file_cannot_both_be_set(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("sqlite:///y.db")
    both = URL | {"PLANTSTORE_DATABASE_FILE": str(tmp_path / "secret")}
    words = "^PLANTSTORE_DATABASE and PLANTSTORE_DATABASE_FILE are both set: unset one of them$"
    for read in (load_settings, load_database):
        with pytest.raises(SetupError, match=words):
            read(Sources({}, both))


@pytest.mark.parametrize("setting", ["tls_cert", "tls_key"])
def test_tls_cert_and_tls_key_require_each_other(setting: str) -> None:
    with pytest.raises(SetupError, match=f"^--{setting[:3]}-{setting[4:]} is set alone, but"):
        load({setting: "file.pem"}, URL)


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("prot = 80", "'prot'; did you mean port"),
        ("[serve]", "'serve'; settings must not be in a .section"),
        ("x = 1", "'x'; the settings are: database, host"),
    ],
)
def test_an_unknown_setting_in_a_file_is_refused(tmp_path: Path, line: str, advice: str) -> None:
    (tmp_path / "settings.toml").write_text(line)
    with pytest.raises(SetupError, match=f"unknown setting {advice}"):
        load({}, URL, tmp_path / "settings.toml")


def test_an_unknown_variable_is_reported_with_the_closest_setting() -> None:
    known = {f"PLANTSTORE_{name.upper()}": "" for name in SETTINGS}
    known |= {f"{variable}_FILE": "" for variable in known}
    others = {"PLANTSTORE_SETTINGS": "", "PATH": "", "_PLANTSTORE_COMPLETE": "", "PLANTSTORES": ""}
    assert [*find_unknown(known | others, SETTINGS)] == []
    typos = {"PROT": "PORT", "LOGFORMAT": "LOG_FORMAT", "DATABSE_FILE": "DATABASE_FILE"}
    for typo, suggestion in typos.items():
        assert [*find_unknown({f"PLANTSTORE_{typo}": "1"}, SETTINGS)] == [
            f"PLANTSTORE_{typo} is not a setting; did you mean PLANTSTORE_{suggestion}?"
        ]
    assert [*find_unknown({"PLANTSTORE_XYZ": ""}, SETTINGS)] == ["PLANTSTORE_XYZ is not a setting"]
