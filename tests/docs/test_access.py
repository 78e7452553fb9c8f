"""docs/access.md: its commands, pasted one after the other, do what it says."""

import re
from pathlib import Path

from tests.cli.program import Program

ACCESS = (Path(__file__).parents[2] / "docs" / "access.md").read_text(encoding="utf-8")
BLOCKS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL).findall(ACCESS)


def run(program: Program, *blocks: str) -> str:
    done = program.in_shell("set -e\n" + "".join(blocks), shell="bash")
    assert done.status == 0, done
    return done.out


def test_the_commands_of_the_page_work_in_their_order(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    until_rename = next(n for n, block in enumerate(BLOCKS) if "store rename" in block)
    out = run(program, *BLOCKS[:until_rename])
    assert "kiosk" in out
    assert {token["state"] for token in program.data("token", "list")} == {"revoked"}
    run(program, *BLOCKS[until_rename:-1])
    assert [store["name"] for store in program.data("store", "list")] == ["orchard"]
    users = [user["subject"] for user in program.data("user", "list")]
    assert users == ["ada.lovelace", "kiosk"]
    members = program.data("member", "list", "--store", "orchard")
    assert [(member["user"], member["role"]) for member in members] == [("ada.lovelace", "owner")]
    run(program, BLOCKS[-1])
    assert program.data("store", "list") == []


def test_every_command_on_the_page_is_run() -> None:
    shown = re.findall(r"^ *(?:\w+=\$\()?(plantstore \w+ [\w-]+)", ACCESS, re.MULTILINE)
    assert len(shown) == sum(block.count("plantstore ") for block in BLOCKS)
