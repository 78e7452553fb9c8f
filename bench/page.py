"""The page with a store of 100,000 plants, in Chromium: what people wait for, and its memory."""

import json
import statistics
import time
from pathlib import Path

from playwright.sync_api import Page

from bench.report import Figure
from bench.servers import Server, running_service
from bench.stores import SPACING, Store, fill_store
from bench.wire import WrongResponseError, fetch
from tests.web.browser import DESKTOP, open_browser

_PLANTS = 10**5
_CHANGES = 21
_ROWS = 10  # that are on show
_OK = 200
# The time at which the first frame is drawn in which a condition holds.
_WATCH = """void (window.drawn = new Promise((resolve, reject) => {
    const look = () => (%s ? resolve(Date.now()) : requestAnimationFrame(look));
    look();
    setTimeout(reject, 60_000, new Error("it does not appear"));
}))"""
_NOTE_ENTER = """addEventListener("keydown", ({key}) => {
    if (key === "Enter") window.entered = Date.now();
}, true);"""
_FIRST = "document.querySelector('#rows .row')"
_ALL = "document.getElementById('count').textContent === '100,000 plants'"
_NAMED = "document.querySelector('#row-%d .name')?.textContent === %s"


def measure_page(folder: Path) -> list[Figure]:
    """Sign in, then edit plants, and let another client change plants that are on show."""
    store = fill_store(folder / f"{_PLANTS}.db", _PLANTS)
    with running_service(store.database, folder) as service, open_browser() as browser:
        page = browser.new_page(viewport=DESKTOP, locale="en-GB")
        page.add_init_script(_NOTE_ENTER)
        page.goto(service.origin)
        first, whole = _sign_in(page, store)
        heap = _weigh(page)
        edits = [_edit(page, number) for number in range(_CHANGES)]
        changes = [_change(page, service, store, number) for number in range(_CHANGES)]
    return [
        Figure("page", "s from Enter to the first row", first, 1),
        Figure("page", f"s from Enter to all {_PLANTS:,} plants", whole, 5),
        Figure("page", "MB of JavaScript's heap", heap, 60),
        Figure("page", "ms p50 from Enter to an edit on show", statistics.median(edits), 100),
        Figure(
            "page", "ms p50 from another client's write to its row", statistics.median(changes), 100
        ),
    ]


def _sign_in(page: Page, store: Store) -> tuple[float, float]:
    """Seconds until the first row is there, and until all plants are."""
    page.fill("#token", store.token)
    page.evaluate(_WATCH % _FIRST)
    page.press("#token", "Enter")
    first = page.evaluate("drawn.then((time) => time - entered)")
    page.evaluate(_WATCH % _ALL)
    whole = page.evaluate("drawn.then((time) => time - entered)")
    return first / 1000, whole / 1000


def _weigh(page: Page) -> float:
    """MB that the page's scripts keep."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")
    devtools.send("HeapProfiler.collectGarbage")
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return next(float(it["value"]) / 1e6 for it in metrics if it["name"] == "JSHeapUsedSize")


def _edit(page: Page, number: int) -> float:
    """Milliseconds from Enter to the saved name in its row."""
    row, name = number % _ROWS, f"Edited {number}"
    page.dblclick(f"#row-{row} .name")
    page.fill("#edit-name", name)
    page.evaluate(_WATCH % (_NAMED % (row, json.dumps(name))))
    page.keyboard.press("Enter")
    return float(page.evaluate("drawn.then((time) => time - entered)"))


def _change(page: Page, service: Server, store: Store, number: int) -> float:
    """Milliseconds from another client's request to the new name in its row."""
    row, name = number % _ROWS, f"Changed {number}"
    page.evaluate(_WATCH % (_NAMED % (row, json.dumps(name))))
    headers = {"Authorization": f"Bearer {store.token}", "Content-Type": "application/json"}
    body = json.dumps({"name": name}).encode()
    begun = time.time()
    response = fetch(service.origin, "PUT", f"/plants/{(row + 1) * SPACING}", headers, body)
    if response.status != _OK:
        raise WrongResponseError(f"a change gives {response.status}: {response.body!r}")
    return float(page.evaluate("drawn")) - 1000 * begun
