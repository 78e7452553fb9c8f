"""Every state of the page, light and dark, wide and narrow: nothing to complain of, and pictured.

The pictures are for people: they are in ``.screenshots`` after a run.
"""

from collections.abc import Iterator
from itertools import product
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
NOT_OURS = ("docs",)  # what Swagger UI makes of our document
WITHOUT = {"resultTypes": ["violations"]}


@pytest.fixture
def stage(visit: Visit, shop: Service, store: str, owner: str) -> Stage:
    """A visitor at the closed page, and a store of their own."""
    return Stage(visit(), shop, store, owner)


def looks(visitor: Visitor, name: str) -> Iterator[str]:
    """The page in each size and scheme, pictured."""
    FOLDER.mkdir(exist_ok=True)
    for (size, (width, height)), scheme in product(SIZES.items(), SCHEMES):
        visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        visitor.page.set_viewport_size({"width": width, "height": height})
        visitor.page.wait_for_timeout(50)  # for the rows that the new size has room for
        look = f"{name}-{size}-{scheme}"
        visitor.page.screenshot(path=FOLDER / f"{look}.png")
        yield look


def overflow(visitor: Visitor) -> int:
    """By how many pixels the page is wider than its window."""
    wide: int = visitor.stays("document.documentElement.scrollWidth - innerWidth")
    return wide


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_fit_for_everybody(stage: Stage, state: str) -> None:
    STATES[state](stage)
    for look in looks(stage.visitor, state):
        if state not in NOT_OURS:
            found = Axe().run(stage.visitor.page, options=WITHOUT)
            assert found.violations_count == 0, f"{look}: {found.generate_report()}"
            assert overflow(stage.visitor) <= 0, look
