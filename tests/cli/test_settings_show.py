"""``plantstore settings show`` prints each value with its source, and no secret."""

from datetime import UTC, datetime
from pathlib import Path

from plantstore.program.loading import SETTINGS
from tests.cli.program import Program


def test_each_value_is_shown_with_its_source(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('port = 1\nhost = "::1"\nworkers = 2\n')
    program = Program(tmp_path, {"PLANTSTORE_PORT": "2", "PLANTSTORE_SETTINGS": "s.toml"})
    url = "postgresql://ada:secret@db/plants"
    rows = program.data("--database", url, "settings", "show")
    settings = {row.pop("setting"): tuple(row.values()) for row in rows}
    assert list(settings) == list(SETTINGS)
    assert settings["database"] == ("postgresql://ada:...@db/plants", "flag", "--database")
    assert settings["port"] == (2, "variable", "PLANTSTORE_PORT")
    assert settings["host"] == ("::1", "file", "host in s.toml")
    assert settings["log_format"] == ("text", "default", None)


def test_every_command_reads_the_users_settings_file(tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": ""})
    folder = tmp_path / ".config" / "plantstore"
    folder.mkdir(parents=True)
    url = f"sqlite:///{tmp_path}/plants.db"
    (folder / "plantstore.toml").write_text(f'database = "{url}"\ntoken_expiry = 30\nport = 70000')
    program.out("migrate")
    assert (tmp_path / "plants.db").exists()
    created = program.data("token", "create", "--create", "--store", "nursery", "--user", "ada")
    age = datetime.fromisoformat(created["expires_at"]) - datetime.now(UTC)
    assert 28 <= age.days <= 30
    assert "port in" in program.refusal("check")
    assert "port in" in program.refusal("serve")


def test_values_from_secret_files_are_masked(tmp_path: Path) -> None:
    (tmp_path / "rate").write_text("7/second")
    (tmp_path / "url").write_text("postgresql://ada:secret@db/plants")
    program = Program(
        tmp_path,
        {"PLANTSTORE_RATE_LIMIT_FILE": "rate", "PLANTSTORE_DATABASE_FILE": "url"}
        | {"PLANTSTORE_DATABASE": ""},
    )
    shown = [line.split()[:3] for line in program.out("settings", "show").splitlines()]
    assert ["database", "postgresql://ada:...@db/plants", "variable"] in shown
    assert ["rate_limit", "...", "variable"] in shown


def test_secrets_are_never_shown(tmp_path: Path) -> None:
    for name in {"token", "webhook_key"} & SETTINGS.keys():
        for secret in ("7" * 40, "short"):
            program = Program(tmp_path, {f"PLANTSTORE_{name.upper()}": secret})
            shown = program.run("settings", "show")
            assert name in (shown.out + shown.err).lower()
            assert secret not in shown.out + shown.err


def test_an_invalid_setting_is_refused(tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_PORT": "x"})
    assert "PLANTSTORE_PORT is 'x'" in program.refusal("settings", "show")
