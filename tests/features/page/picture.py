"""Takes the docs' screenshots of the page, light, dark and on a phone: ``make picture``."""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import ViewportSize

from tests.features.page.browser import Tabs, open_browser
from tests.features.page.page_driver import PageDriver
from tests.features.page.states.changing import select_some
from tests.features.page.states.setup import PLANTS
from tests.service import Service

MAX_BYTES = 150 * 1024
DESKTOP: ViewportSize = {"width": 1200, "height": 720}
PICTURES: Mapping[str, Mapping[str, object]] = {
    "page.png": {"viewport": DESKTOP},
    "page-dark.png": {"viewport": DESKTOP, "color_scheme": "dark"},
    "page-phone.png": {"viewport": {"width": 390, "height": 720}, "has_touch": True},
}


def draw(service: Service, driver: PageDriver, path: Path) -> None:
    driver.owner = service.make_token("greenhouse", "ada")
    select_some(driver)
    if driver["#add-name"].is_visible():  # on a phone a button opens row 0
        driver["#add-name"].fill(PLANTS[0][0])
        driver["#add-tag"].fill("tropical")
        driver["#grid"].focus()
    driver.page.screenshot(path=path)


def main(folder: Path) -> None:
    with open_browser() as browser:
        for name, options in PICTURES.items():
            with tempfile.TemporaryDirectory() as data, Service(Path(data)) as service:
                path = folder / name
                draw(service, Tabs(browser).open(service, dict(options)), path)
            if path.stat().st_size > MAX_BYTES:
                sys.exit(f"{path} is over 150 KiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
