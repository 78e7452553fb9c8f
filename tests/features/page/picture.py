"""Draws the README's picture of the page: ``make picture`` writes it to ``docs/page.png``."""

import sys
import tempfile
from pathlib import Path

from tests.features.page.browser import Tabs, open_browser
from tests.features.page.page_driver import PageDriver
from tests.features.page.states.changing import select_some
from tests.features.page.states.setup import PLANTS
from tests.service import Service

MAX_BYTES = 150 * 1024


def draw(service: Service, driver: PageDriver, path: Path) -> None:
    """Picture a store with some plants, two of them selected."""
    driver.owner = service.make_token("greenhouse", "ada")
    select_some(driver)
    driver["#add-name"].fill(PLANTS[0][0])
    driver["#add-tag"].fill("tropical")
    driver["#grid"].focus()
    driver.page.screenshot(path=path)


def main(path: Path) -> None:
    """Draw it with a service and a browser of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Service(Path(folder)) as service,
        open_browser() as browser,
    ):
        options = {"viewport": {"width": 1200, "height": 720}}
        draw(service, Tabs(browser).open(service, options), path)
    if path.stat().st_size > MAX_BYTES:
        sys.exit(f"{path} is over 150 KiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
