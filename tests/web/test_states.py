"""Every state of the page, light and dark, wide and narrow: nothing to complain of, and pictured.

The pictures are for people: they are in ``.screenshots`` after a run.
"""

from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from tests.service import Service
from tests.web.states.stage import STATES, Stage
from tests.web.visitor import Visit, Visitor

FOLDER = Path(__file__).parents[2] / ".screenshots"
SIZES = {"desktop": (1280, 800), "phone": (390, 800), "wide": (1920, 1080)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WITHOUT = {"resultTypes": ["violations"]}
# Axe sees the colours as they are before they are turned over.
WITHOUT_COLOURS = {**WITHOUT, "rules": {"color-contrast": {"enabled": False}}}
TURNED_OVER = ("docs", "docs_tried", "docs_authorize")


@pytest.fixture
def stage(visit: Visit, shop: Service, store: str, owner: str, size: str) -> Stage:
    """A visitor at the closed page, in a window of this size, and a store of their own."""
    width, height = SIZES[size]
    window = visit(viewport={"width": width, "height": height}, reduced_motion="reduce")
    return Stage(window, shop, store, owner)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_a_state_is_fit_for_everybody(stage: Stage, state: str, size: str) -> None:
    STATES[state](stage)
    for scheme in SCHEMES:
        stage.visitor.page.emulate_media(color_scheme=scheme)
        stage.visitor.page.screenshot(path=FOLDER / f"{state}-{size}-{scheme}.png")
        assert overflow(stage.visitor) <= 0
        if size != "wide":  # which has nothing that the desktop has not
            is_turned_over = scheme == "dark" and state in TURNED_OVER
            options = WITHOUT_COLOURS if is_turned_over else WITHOUT
            found = Axe().run(stage.visitor.page, options=options)
            assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"


def overflow(visitor: Visitor) -> int:
    """By how many pixels the page is wider than its window."""
    wide: int = visitor.stays("document.documentElement.scrollWidth - innerWidth")
    return wide
