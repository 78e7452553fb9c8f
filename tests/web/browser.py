"""The browser that the pages are looked at with: the system's Chromium."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

# A container has few rights and a small /dev/shm.
_ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    path = shutil.which("chromium")
    assert path is not None, "install it: sh scripts/need chromium chromium"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=_ARGUMENTS) as browser,
    ):
        yield browser
