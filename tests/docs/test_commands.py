"""Pages whose commands run one after the other."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.docs.pages import DOCS, read_blocks, read_page, run_blocks
from tests.service import Service

DOCUMENTED_BACKUP = "plants-20301231T235959.123Z.db"


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path).with_database()


def test_the_commands_of_access_md_run_in_order(program: Program) -> None:
    blocks = read_blocks("access.md")
    commands = re.findall(
        r"^ *(?:\w+=\$\()?(plantstore \w+ [\w-]+)", read_page(DOCS / "access.md"), re.MULTILINE
    )
    assert len(commands) == sum(block.count("plantstore ") for block in blocks)
    until_rename = next(n for n, block in enumerate(blocks) if "store rename" in block)
    assert "kiosk" in run_blocks(program, *blocks[:until_rename])
    assert {token["state"] for token in program.data("token", "list")} == {"revoked"}
    run_blocks(program, *blocks[until_rename:-1])
    assert [store["name"] for store in program.data("store", "list")] == ["orchard"]
    users = [user["subject"] for user in program.data("user", "list")]
    assert users == ["ada.lovelace", "kiosk"]
    members = program.data("member", "list", "--store", "orchard")
    assert [(member["user"], member["role"]) for member in members] == [("ada.lovelace", "owner")]
    run_blocks(program, blocks[-1])
    assert program.data("store", "list") == []


def test_the_commands_of_import_md_run(program: Program) -> None:
    for store in ("nursery", "meadow"):
        program.make_store(store)
    (program.folder / "seed.ndjson").write_text('{"id":1,"name":"Fern"}\n')
    program.out("import", "seed.ndjson", "--store", "nursery")
    blocks = read_blocks("import.md")
    over_http = "".join(blocks.pop(1) for _ in range(3))
    run_blocks(program, *blocks)
    with Service(program.folder, database=program.database) as service:
        sending = over_http.replace("http://127.0.0.1:8080", service.origin)
        printed = run_blocks(program, sending, TOKEN=service.make_token("harvest"))
        assert [json.loads(line)["status"] for line in printed.splitlines()] == [200] * 4
    assert b"1,Fern,\r\n" in (program.folder / "list.csv").read_bytes()
    assert "1,Fern," in program.out("export", "--store", "meadow")
    assert "2,Monstera deliciosa,tropical" in program.out("export", "--store", "nursery")


def test_the_commands_of_plants_md_run(program: Program) -> None:
    program.make_store("nursery")
    local, over_http = read_blocks("plants.md")
    assert "Monstera deliciosa" in run_blocks(program, local)
    with Service(program.folder, database=program.database) as service:
        over_http = over_http.replace("http://127.0.0.1:8080", service.origin)
        run_blocks(program, over_http, TOKEN=service.make_token("nursery"))
    exported = program.out("export", "--store", "nursery")
    assert "7,Monstera deliciosa,tropical\r\n8,Fern," in exported
    assert (program.folder / "plants.csv").read_text().strip() == exported.replace("\r", "").strip()


def test_the_sqlite_commands_of_backup_md_run(program: Program) -> None:
    program.make_store("nursery")
    backups = program.folder / "backups"
    backups.mkdir()
    blocks = read_blocks("backup.md", "SQLite", "Restore", "Verify", "A drill")
    assert len(blocks) == 5
    for block in blocks:
        script = block.replace("/var/backups/plantstore", str(backups))
        (backup,) = [str(path) for path in backups.glob("plants-*Z.db")] or [DOCUMENTED_BACKUP]
        script = script.replace(f"{backups}/{DOCUMENTED_BACKUP}", DOCUMENTED_BACKUP).replace(
            DOCUMENTED_BACKUP, backup
        )
        printed = run_blocks(
            program, script.replace(f"restore {backup}", f"restore --yes {backup}")
        )
    assert re.search("^ok: stores: 1, plants: 0, ", printed, re.MULTILINE)
    assert [path.suffix for path in backups.iterdir()] == [".db"]
