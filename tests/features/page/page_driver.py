"""Drives the page for tests, and records errors: any error fails the test."""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from re import Pattern
from typing import Any

from playwright.sync_api import (
    ConsoleMessage,
    FilePayload,
    Locator,
    Page,
    Request,
    Route,
    expect,
)

from tests.service import Service

TIMEOUT = 30.0
# The browser itself reports each response that is an error, and each lost connection.
_FAILED_TO_LOAD = "Failed to load resource"
# Resolves after the effects of an event or a response, including short delays.
_WAIT_FOR_EFFECTS = """async () => {
    for (let turn = 0; turn < 3; turn += 1) {
        await new Promise(requestAnimationFrame);
        await new Promise((resolve) => setTimeout(resolve));
    }
}"""

# The status is one that no service sends.
_IS_INTERCEPTED = """
    fetch("intercepted").then(({ status }) => status === 299, () => false)
"""


# Sets the storage of the tab, before any script of the page runs.
_SET_STORAGE = """{
    sessionStorage.clear();
    localStorage.clear();
    const path = new URL(".", location.href).pathname;
    for (const [name, value] of Object.entries(%s))
        sessionStorage.setItem(`plantstore${path}${name}`, value);
}"""


class HeldRequests:
    """Requests, or their responses, that wait until they are released."""

    def __init__(self, in_flight: set[Request], *, responses: bool = False) -> None:
        self.routes: list[Route] = []
        self._waiting: list[Callable[[], None]] = []
        self._in_flight = in_flight
        self._responses = responses
        self._is_released = False

    def hold(self, route: Route) -> None:
        """Hold a request."""
        if self._responses and not self._is_released:
            response = route.fetch()
            self._waiting.append(lambda: route.fulfill(response=response))
        else:
            self._waiting.append(route.continue_)
        self.routes.append(route)
        self._in_flight.discard(route.request)
        if self._is_released:  # maybe while the response was fetched
            self.release()

    def release(self) -> None:
        self._is_released = True
        while self._waiting:
            self._waiting.pop(0)()


class PageDriver:
    """A tab with the page; ``errors`` holds console errors and requests to other services."""

    def __init__(self, page: Page, service: Service) -> None:
        self.page = page
        self.service = service
        self.store = ""  # the store under test, with its owner's token
        self.owner = ""
        self.errors: list[str] = []
        self.is_reusable = True
        self._is_opened = False
        self._intercepts = False
        self._in_flight: set[Request] = set()
        self._listeners: list[tuple[Any, Callable[[Any], None]]] = []
        self._listen("console", self._record_message)
        self._listen("pageerror", lambda error: self.errors.append(str(error)))
        self._listen("request", self._record_request)
        for event in ("requestfinished", "requestfailed"):
            self._listen(event, self._record_end)

    def __getitem__(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def open(self, path: str = "/") -> "PageDriver":
        """Go to a page of the service; the first time, with empty storage."""
        if not self._is_opened:
            return self._open_with_storage(path)
        self.page.goto(self.service.origin + path)
        return self

    def reset(self) -> None:
        """Release the tab, and stop everything in it that could reach the next test."""
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.context.unroute_all(behavior="ignoreErrors")
        self.page.goto("about:blank")
        for event, listener in self._listeners:
            self.page.remove_listener(event, listener)
        for other in self.page.context.pages:
            if other != self.page:
                other.close()
                self.page.bring_to_front()  # a background tab draws nothing
        self.page.mouse.move(0, 0)

    def install_clock(self) -> None:
        """Install a clock that the test can move; no other test gets the tab."""
        self.is_reusable = False
        self.page.clock.install()

    def sign_in(self, token: str = "") -> "PageDriver":
        """Open the page, signed in as the owner or with this token."""
        self.open_with_token(token or self.owner, "/")
        expect(self["#app"]).to_be_visible()
        expect(self["#who"]).not_to_be_empty()  # until then, keys do nothing
        return self

    def open_with_token(self, token: str, path: str) -> "PageDriver":
        """Go to a page, with the token already in the tab's storage."""
        return self._open_with_storage(path, token=token, session="")

    def _open_with_storage(self, path: str, **storage: str) -> "PageDriver":
        """Go to a page, with only these values in the tab's storage."""
        self._is_opened = True
        if "#" in path:  # a fragment alone would not load the page again
            self.page.goto(f"{self.service.origin}/livez")
        with self.page.add_init_script(_SET_STORAGE % json.dumps(storage)):
            self.page.goto(self.service.origin + path)
        return self

    def open_beside(self, path: str = "/") -> Page:
        """Open a page of the service in another tab of the same browser."""
        beside = self.page.context.new_page()
        beside.goto(self.service.origin + path)
        return beside

    def submit_token(self, token: str) -> None:
        self["#token"].fill(token)
        self["#token"].press("Enter")

    def assert_shows(self, text: str, part: str = "body") -> None:
        """Wait until the part shows the text."""
        expect(self[part]).to_be_visible()
        expect(self[part]).to_contain_text(text)

    def assert_count(self, text: str) -> None:
        expect(self["#count"]).to_have_text(text)

    def type(self, text: str, delay: float = 0) -> None:
        """Type into the focused element; a line feed is Enter, a tab is Tab."""
        for part in re.split(r"(\n|\t)", text):
            if part in {"\n", "\t"}:
                self.page.keyboard.press("Enter" if part == "\n" else "Tab")
            else:
                self.page.keyboard.type(part, delay=delay)

    def delay(self, latency: int) -> None:
        """Delay each response by these milliseconds; no other test gets the tab."""
        self.is_reusable = False
        session = self.page.context.new_cdp_session(self.page)
        unlimited = {"downloadThroughput": -1, "uploadThroughput": -1}
        conditions = {"offline": False, "latency": latency, **unlimited}
        session.send("Network.emulateNetworkConditions", conditions)

    def open_add(self) -> None:
        """Focus the row to add plants, by its key."""
        expect(self["#count"]).not_to_be_empty()
        self["#grid"].press("+")
        expect(self["#add-name"]).to_be_focused()

    def submit_plant(self, name: str, tag: str = "", plant_id: str | None = None) -> None:
        """Type a plant into the row to add plants, and press Enter."""
        self["#add-name"].press("ControlOrMeta+a")
        if plant_id is not None:
            self["#add-set-id"].click()
            self.type(plant_id)
        self["#add-name"].focus()
        self.type(f"{name}\t")
        self.page.keyboard.press("ControlOrMeta+a")
        self.type(tag) if tag else self.page.keyboard.press("Delete")
        self["#add-name"].press("Enter")

    def add_plant(self, name: str, tag: str = "", plant_id: str | None = None) -> None:
        self.submit_plant(name, tag, plant_id)
        self.assert_shows(f"Added {name}", "#message")

    def filter(self, tag: str) -> None:
        """Toggle a tag in the filter menu."""
        self["#filter-open"].click()
        self["#filter-menu"].get_by_text(tag, exact=True).click()
        self.page.keyboard.press("Escape")

    def sign_out(self) -> None:
        """Sign out, which reloads the page."""
        self["#person-open"].click()
        self["#sign-out"].click()
        expect(self["#sign-in"]).to_be_visible()

    def names(self) -> list[str]:
        return self["#rows .name"].all_inner_texts()

    def choose_file(self, name: str, content: str | bytes) -> None:
        self.open_menu("#import-open")
        expect(self["#import-choose"]).to_be_visible()
        self.set_file(name, content)

    def open_menu(self, item: str) -> None:
        self["#more-open"].click()
        self[item].click()

    def set_file(self, name: str, content: str | bytes) -> None:
        buffer = content.encode() if isinstance(content, str) else content
        file: FilePayload = {"name": name, "mimeType": "", "buffer": buffer}
        self["#import-file"].set_input_files(file)

    def download(self, selector: str) -> tuple[str, str]:
        with self.page.expect_download() as download:
            self[selector].click()
        return download.value.suggested_filename, download.value.path().read_bytes().decode()

    def export(self) -> tuple[str, str]:
        self["#more-open"].click()
        return self.download("#export-csv")

    def route(
        self,
        pattern: str | Pattern[str],
        handler: Callable[[Route], object],
        times: int | None = None,
    ) -> None:
        """Handle matching requests from now on, at most ``times`` if it is given."""
        if not self._intercepts:
            self._intercept()
        self.page.route(pattern, handler, times=times)

    def _intercept(self) -> None:
        """Intercept requests: only for tests that need it, for it takes a fifth more CPU time."""
        self._intercepts = True
        self.page.context.route("**/intercepted", lambda route: route.fulfill(status=299))
        if self.page.url.startswith(self.service.origin):  # a request could bypass the route
            self.wait_until(lambda: self.evaluate(_IS_INTERCEPTED))

    def hold(self, pattern: str | Pattern[str], *, responses: bool = False) -> HeldRequests:
        """Hold matching requests, or their responses, from now on."""
        held = HeldRequests(self._in_flight, responses=responses)
        self.route(pattern, held.hold)
        return held

    def respond(
        self,
        pattern: str | Pattern[str],
        status: int,
        body: str,
        content_type: str = "application/json",
    ) -> None:
        """Respond to matching requests from now on, in the service's place."""
        self.route(
            pattern,
            lambda route: route.fulfill(status=status, body=body, content_type=content_type),
        )

    def record_requests(self, method: str) -> list[str]:
        """Record the URLs of requests with this method from now on, except for static files."""
        recorded: list[str] = []

        def record(request: Request) -> None:
            if request.method == method and "/static/" not in request.url:
                recorded.append(request.url)

        self._listen("request", record)
        return recorded

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds; fail after a timeout."""
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < deadline, "the condition did not hold in time"
            self.page.wait_for_timeout(20)

    def settle(self) -> None:
        """Wait until only held requests are in flight, and the others' effects have happened."""
        self.evaluate(_WAIT_FOR_EFFECTS)
        self.wait_until(lambda: not self._in_flight)
        self.evaluate(_WAIT_FOR_EFFECTS)

    def refocus(self) -> None:
        self.evaluate("dispatchEvent(new Event('focus'))")

    def repeat_key(self, key: str) -> None:
        """Press a key that is already down, as a keyboard repeats it, then release it."""
        for _ in range(4):
            self.page.keyboard.down(key)
        self.page.keyboard.up(key)

    def validation_message(self) -> str:
        """The browser's validation message of the focused field."""
        return str(self.evaluate("document.activeElement.validationMessage"))

    def active_name(self) -> str:
        """The name in the active row, as screen readers find it."""
        row = self["#grid"].get_attribute("aria-activedescendant")
        return self[f".row:has(#{row}) .name"].inner_text()

    def block_streams(self) -> "PageDriver":
        """Block streams of events: the page has to poll for others' changes."""
        self.respond("**/events", 503, '{"error": 50301, "message": "the service is overloaded"}')
        return self

    def undo(self) -> None:
        self["#message"].get_by_role("button", name="Undo").click()

    def create_plants(self, *plants: Mapping[str, object], token: str = "") -> None:
        with self.service.client(token or self.owner) as client:
            for plant in plants:
                client.post("/plants", json=plant).raise_for_status()

    def create_many(self, plants: Iterable[Mapping[str, object]]) -> None:
        body = "\n".join(json.dumps(plant) for plant in plants)
        headers = {"Content-Type": "application/x-ndjson"}
        with self.service.client(self.owner) as client:
            client.post("/changes", content=body, headers=headers).raise_for_status()

    def assert_stored(self, plant_id: int, name: str, tag: str | None) -> None:
        """Wait until the store has this plant."""
        plant = {"id": plant_id, "name": name} | ({} if tag is None else {"tag": tag})
        self.wait_until(lambda: plant in self.list_plants())

    def list_plants(self, token: str = "") -> Any:  # noqa: ANN401 - JSON
        with self.service.client(token or self.owner) as client:
            return client.get("/plants", params={"include": "id"}).raise_for_status().json()

    def address(self) -> str:
        """The tab's address; Playwright's own copy of it follows late."""
        return str(self.evaluate("location.href"))

    def evaluate(self, script: str) -> Any:  # noqa: ANN401 - whatever JavaScript gives
        return self.page.evaluate(script)

    def _listen(self, event: Any, listener: Callable[[Any], None]) -> None:  # noqa: ANN401 - its name
        self._listeners.append((event, listener))
        self.page.on(event, listener)

    def _record_message(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and _FAILED_TO_LOAD not in message.text:
            self.errors.append(message.text)

    def _record_request(self, request: Request) -> None:
        if not request.url.endswith("/events"):  # a stream never ends
            self._in_flight.add(request)
        if not request.url.startswith((self.service.origin, "blob:", "data:")):
            self.errors.append(f"request to another service: {request.url}")

    def _record_end(self, request: Request) -> None:
        self._in_flight.discard(request)
