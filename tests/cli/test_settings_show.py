"""``plantstore settings show``: each value with its source, and no secret."""

from datetime import UTC, datetime
from pathlib import Path

from plantstore.program.loading import SETTINGS
from tests.cli.program import Program


def test_each_value_has_its_source(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('port = 1\nhost = "::1"\nworkers = 2\n')
    program = Program(tmp_path, {"PLANTSTORE_PORT": "2", "PLANTSTORE_SETTINGS": "s.toml"})
    url = "postgresql://ada:secret@db/plants"
    shown = program.data("--database", url, "settings", "show")
    found = {one.pop("setting"): tuple(one.values()) for one in shown}
    assert list(found) == list(SETTINGS)
    assert found["database"] == ("postgresql://ada:...@db/plants", "flag", "--database")
    assert found["port"] == (2, "variable", "PLANTSTORE_PORT")
    assert found["host"] == ("::1", "file", "host in s.toml")
    assert found["log_format"] == ("text", "default", None)


def test_every_command_reads_the_users_file(tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": ""})
    folder = tmp_path / ".config" / "plantstore"
    folder.mkdir(parents=True)
    url = f"sqlite:///{tmp_path}/plants.db"
    (folder / "plantstore.toml").write_text(f'database = "{url}"\ntoken_expiry = 30\nport = 70000')
    program.out("migrate")
    assert (tmp_path / "plants.db").exists()
    made = program.data("token", "create", "--create", "--store", "nursery", "--user", "ada")
    age = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert 28 <= age.days <= 30
    assert "port in" in program.refusal("check")
    assert "port in" in program.refusal("serve")


def test_what_stands_in_a_secret_file_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "rate").write_text("7/second")
    (tmp_path / "url").write_text("postgresql://ada:secret@db/plants")
    program = Program(
        tmp_path,
        {"PLANTSTORE_RATE_LIMIT_FILE": "rate", "PLANTSTORE_DATABASE_FILE": "url"}
        | {"PLANTSTORE_DATABASE": ""},
    )
    table = program.out("settings", "show", "rate_limit", "database").splitlines()
    assert [line.split()[:3] for line in table[1:]] == [
        ["database", "postgresql://ada:...@db/plants", "variable"],
        ["rate_limit", "...", "variable"],
    ]


def test_wrong_settings_are_refused(tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_PORT": "x"})
    assert "PLANTSTORE_PORT is 'x'" in program.refusal("settings", "show")
