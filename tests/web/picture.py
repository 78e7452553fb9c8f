"""Draws the README's picture of the page: ``make picture`` writes it to ``docs/page.png``."""

import sys
import tempfile
from pathlib import Path

from tests.service import Service
from tests.web.browser import open_browser
from tests.web.states.changing import selected
from tests.web.states.stage import PLANTS, Stage
from tests.web.visitor import Visitor, open_visitor

MOST_BYTES = 150 * 1024


def draw(service: Service, visitor: Visitor, path: Path) -> None:
    """Picture a store with some plants, two of them selected."""
    token = service.make_token("greenhouse", "ada")
    selected(Stage(visitor, service, "greenhouse", token))
    visitor["#add-name"].fill(PLANTS[0][0])
    visitor["#add-tag"].fill("tropical")
    visitor.page.screenshot(path=path)


def main(path: Path) -> None:
    """Draw it with a service and a browser of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Service(Path(folder)) as service,
        open_browser() as browser,
        open_visitor(browser, service, viewport={"width": 1200, "height": 720}) as visitor,
    ):
        draw(service, visitor, path)
    if path.stat().st_size > MOST_BYTES:
        sys.exit(f"{path} is over 150 KiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
