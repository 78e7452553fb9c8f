"""The page in Firefox, with real keys; all other tests of the page run in Chromium."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.features.page.firefox import Firefox, open_firefox
from tests.features.page.late_relay import LateRelay
from tests.service import Service

PLANTS = [f"P{n}" for n in range(1, 13)]
ENTER, DELETE, SPACE, HOME, DOWN = "\ue007", "\ue017", " ", "\ue011", "\ue015"
NAMES = ["Moss", "Sage", "Efeu", "Möhre"]


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    """A new browser for each test, which may run again."""
    with open_firefox(tmp_path) as running:
        yield running


def test_firefox_adds_edits_deletes_finds_and_imports_plants(
    firefox: Firefox, tmp_path: Path, service: Service, owner: str
) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("Pflanze;Typ\nEfeu;Ranke\nMöhre;Gemüse\n")
    with service.client(owner) as colleague:
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
        firefox.wait_until("document.activeElement.id === 'import-start'")
        firefox.press(ENTER)
        firefox.assert_shows("4 plants", "#count")
        assert [plant["name"] for plant in colleague.get("/plants").json()] == NAMES


def test_quick_deletes_hit_the_plants_that_were_meant(
    firefox: Firefox, service: Service, owner: str
) -> None:
    with (
        service.client(owner) as client,
        LateRelay(httpx.URL(service.origin).port or 0) as relay,
    ):
        for number, name in enumerate(PLANTS, start=1):
            client.post("/plants", json={"id": number, "name": name}).raise_for_status()
        firefox.open(f"http://127.0.0.1:{relay.port}/")
        firefox.fill("#token", owner)
        firefox.press(ENTER)
        for latency, gap in ((0, 50), (0.4, 300), (0.4, 50)):
            for is_mouse in (True, False):
                firefox.assert_shows("12 plants", "#count")
                relay.latency = latency
                if is_mouse:
                    bins = [f"#rows .row:nth-child({number}) .remove" for number in (3, 4, 5)]
                    firefox.click_each([*bins, "#count"], gap)
                else:
                    firefox.focus("#grid")
                    firefox.press(HOME, DOWN, DOWN, DELETE, DELETE, DELETE, gap=gap)
                firefox.assert_shows("9 plants", "#count")
                firefox.assert_shows("Deleted P5", "#message")  # not only the event of it
                left = [plant["name"] for plant in client.get("/plants").json()]
                assert left == [*PLANTS[:2], *PLANTS[5:]], (latency, gap, is_mouse)
                relay.latency = 0
                for number in (3, 4, 5):
                    plant = {"id": number, "name": PLANTS[number - 1]}
                    client.post("/plants", json=plant).raise_for_status()
        firefox.press(*"P07")  # a word typed in the list is searched for
        firefox.wait_until("document.querySelector('#find').value === 'P07'")
