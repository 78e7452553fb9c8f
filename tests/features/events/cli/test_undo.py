"""``plantstore event undo``: it reverts one user's changes, and keeps others' later changes."""

import re
from pathlib import Path

from tests.cli.program import Program
from tests.databases import ON_BOTH
from tests.service import Service

pytestmark = ON_BOTH
UNDO = ("event", "undo", "--store", "nursery", "--user", "eve", "--since")


def test_undo_reverts_the_changes_of_a_user(url: str, tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url})
    with Service(tmp_path, database=url) as service:
        ada_token, eve_token = (service.make_token("nursery", name) for name in ("ada", "eve"))
        with service.client(ada_token) as ada, service.client(eve_token) as eve:
            for number in (1, 2, 3, 4, 5):
                assert ada.post("/plants", json={"id": number, "name": "right"}).is_success
            assert ada.put("/plants/2", json={"name": "second", "tag": "a"}).is_success
            for number in (1, 5):
                assert eve.delete(f"/plants/{number}").is_success
            for number in (2, 3):
                assert eve.put(f"/plants/{number}", json={"name": "wrong"}).is_success
            assert eve.post("/plants", json={"id": 5, "name": "again"}).is_success
            assert eve.post("/plants", json={"id": 6, "name": "wrong"}).is_success
            assert ada.put("/plants/3", json={"name": "later"}).is_success
            before = ada.get("/plants").json()
            preview = program.run(*UNDO, "1h", "--dry-run").err.splitlines()
            assert re.fullmatch(r"undoing changes by eve since 2\d{3}-[-T:\d]{14}Z", preview.pop(0))
            assert preview[0] == "would change plants of nursery; added: 1, changed: 2, removed: 1"
            assert "earlier events are trimmed: 3" in preview[-1]
            assert ada.get("/plants").json() == before
            assert program.data(*UNDO, "2100-01-01", "--yes")["changes"] == []
            assert "give --yes" in program.refusal(*UNDO, "1h")
            result = program.data(*UNDO, "1h", "--yes")
            assert result["skipped"] == [3]
            assert ada.get("/plants?include=id").json() == [
                {"id": 1, "name": "right"},
                {"id": 2, "name": "second", "tag": "a"},
                {"id": 3, "name": "later"},
                {"id": 4, "name": "right"},
                {"id": 5, "name": "right"},
            ]
            assert program.data(*UNDO, "1h", "--yes") == {**result, **NOTHING}


def test_undo_restores_the_state_that_other_users_left(url: str, tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url})
    with Service(tmp_path, database=url) as service:
        ada_token, eve_token = (service.make_token("nursery", name) for name in ("ada", "eve"))
        with service.client(ada_token) as ada, service.client(eve_token) as eve:
            for number in (1, 2, 3):
                assert ada.post("/plants", json={"id": number, "name": "right"}).is_success
            for _ in range(2):
                assert eve.delete("/plants/1").is_success
                result = program.data(*UNDO, "1h", "--yes")
                assert (result["added"], result["skipped"]) == (1, [])
            for user, name in ((eve, "wrong"), (ada, "better"), (eve, "wrong")):
                assert user.put("/plants/2", json={"name": name}).is_success
            assert eve.put("/plants/3", json={"name": "wrong"}).is_success
            assert ada.delete("/plants/3").is_success
            assert eve.post("/plants", json={"id": 3, "name": "wrong"}).is_success
            result = program.data(*UNDO, "1h", "--yes")
            assert (result["changed"], result["removed"], result["skipped"]) == (1, 1, [])
            names = [plant["name"] for plant in ada.get("/plants").json()]
            assert names == ["right", "better"]


NOTHING = {"added": 0, "changed": 0, "removed": 0, "changes": []}
