"""The page in Firefox, with real keys; all other tests of the page run in Chromium."""

from pathlib import Path

from tests.features.page.firefox import open_firefox
from tests.service import Service

ENTER, DELETE, SPACE = "\ue007", "\ue017", " "
NAMES = ["Moss", "Sage", "Efeu", "Möhre"]


def test_firefox_adds_edits_deletes_finds_and_imports_plants(
    tmp_path: Path, service: Service, owner: str
) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("Pflanze;Typ\nEfeu;Ranke\nMöhre;Gemüse\n")
    with open_firefox(tmp_path) as firefox, service.client(owner) as colleague:
        firefox.open(f"{service.origin}/")
        firefox.fill("#token", owner)
        firefox.press(ENTER)
        firefox.assert_shows("No plants yet", "#state-empty")

        firefox.fill("#add-name", "Fern")
        firefox.press(ENTER)
        firefox.assert_shows("Added Fern", "#message")

        firefox.focus("#grid")
        firefox.press(ENTER)
        firefox.press(*"Moss", ENTER)
        firefox.assert_shows("Changed Moss", "#message")

        firefox.focus("#grid")
        firefox.press(DELETE)
        firefox.assert_shows("Deleted Moss", "#message")
        firefox.focus("#message button")
        firefox.press(SPACE)
        firefox.assert_shows("Restored", "#message")
        firefox.assert_shows("1 plant", "#count")

        colleague.post("/plants", json={"id": 7, "name": "Sage", "tag": "herb"}).raise_for_status()
        firefox.assert_shows("Sage", "#rows")

        firefox.fill("#find", "herb")
        firefox.assert_shows("1 of 2 plants", "#count")
        firefox.focus("#clear-search")
        firefox.press(SPACE)
        firefox.assert_shows("2 plants", "#count")

        firefox.focus("#more-open")
        firefox.press(ENTER)
        firefox.focus("#import-open")
        firefox.press(ENTER)
        firefox.wait_until("document.querySelector('#import').open")
        firefox.fill("#import-file", str(sheet))
        firefox.assert_shows("Import 2 plants", "#import-start")
        firefox.press(ENTER)
        firefox.assert_shows("4 plants", "#count")
        assert [plant["name"] for plant in colleague.get("/plants").json()] == NAMES
