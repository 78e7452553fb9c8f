"""Somebody before the page: what people do, and what must never happen meanwhile."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from re import Pattern
from typing import Any, Protocol

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    FilePayload,
    Locator,
    Page,
    Request,
    Route,
    expect,
)

from tests.service import JSON, Service

DESKTOP = {"width": 1280, "height": 800}
# The browser itself tells each answer that is an error, and each lost connection.
_TOLD_BY_THE_BROWSER = "Failed to load resource"
PATIENCE = 30.0
_DROP = """([name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const drop = (type) => {
        const event = new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true});
        document.body.dispatchEvent(event);
        return event.defaultPrevented;
    };
    return ["dragover", "drop"].map(drop).every((prevented) => prevented);
}"""


class Visit(Protocol):
    """Opens a window on a service, with options of a browser's context."""

    def __call__(self, service: Service = ..., **options: object) -> "Visitor":
        """The visitor in the new window."""


class Held:
    """Requests that wait until they are let go; or their answers, as the service gave them then."""

    def __init__(self, *, answers: bool = False) -> None:
        self.routes: list[Route] = []
        self._given: list[Callable[[], None]] = []
        self._answers = answers
        self._is_open = False

    def take(self, route: Route) -> None:
        """Keep one waiting."""
        if self._answers and not self._is_open:
            answer = route.fetch()
            self._given.append(lambda: route.fulfill(response=answer))
        else:
            self._given.append(route.continue_)
        self.routes.append(route)
        if self._is_open:  # or has been opened while the answer was fetched
            self.let_go()

    def let_go(self) -> None:
        """Send all on, and those that come from now on."""
        self._is_open = True
        while self._given:
            self._given.pop(0)()


class Visitor:
    """A window of the page; ``faults`` are errors in the console, and what came from elsewhere."""

    def __init__(self, page: Page, service: Service) -> None:
        self.page = page
        self.service = service
        self.faults: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._watch)

    def __getitem__(self, selector: str) -> Locator:
        """The part of the page that the CSS selector finds."""
        return self.page.locator(selector)

    def open(self, path: str = "/") -> "Visitor":
        """Go to a page of the service."""
        self.page.goto(self.service.origin + path)
        return self

    def sign_in(self, token: str) -> "Visitor":
        """Open the page and sign in with the token."""
        self.open().give_token(token)
        expect(self["#app"]).to_be_visible()
        return self

    def give_token(self, token: str) -> None:
        """Fill in the token and press Enter, where the page asks for it."""
        self["#token"].fill(token)
        self["#token"].press("Enter")

    def sees(self, text: str, part: str = "body") -> None:
        """The part shows the text, now or soon."""
        expect(self[part]).to_be_visible()
        expect(self[part]).to_contain_text(text)

    def counts(self, text: str) -> None:
        """The list has this count, exactly."""
        expect(self["#count"]).to_have_text(text)

    def add(self, name: str, tag: str = "", plant_id: str | None = None) -> None:
        """Fill in the form and press Enter."""
        self["#add-name"].fill(name)
        self["#add-tag"].fill(tag)
        if plant_id is not None:
            self["#add-id"].fill(plant_id)
        self["#add-tag"].press("Enter")

    def adds(self, name: str, tag: str = "", plant_id: str | None = None) -> None:
        """Add a plant, which must work."""
        self.add(name, tag, plant_id)
        self.sees(name, "#add-done")

    def names(self) -> list[str]:
        """The names of the rows in sight."""
        return self["#rows .name"].all_inner_texts()

    def choose_file(self, name: str, content: str | bytes) -> None:
        """Open the import and choose a file."""
        self["#import-open"].click()
        self.gives_file(name, content)

    def gives_file(self, name: str, content: str | bytes) -> None:
        """Choose a file in the import that is open."""
        buffer = content.encode() if isinstance(content, str) else content
        file: FilePayload = {"name": name, "mimeType": "", "buffer": buffer}
        self["#import-file"].set_input_files(file)

    def downloads(self, selector: str) -> tuple[str, str]:
        """The name and the text of the file that a click gives."""
        with self.page.expect_download() as download:
            self[selector].click()
        return download.value.suggested_filename, download.value.path().read_bytes().decode()

    def exports(self, kind: str) -> tuple[str, str]:
        """The exported list's file name and text."""
        self["#export-summary"].click()
        return self.downloads(f"#export-{kind}")

    def hold(self, pattern: str | Pattern[str], *, answers: bool = False) -> "Held":
        """Requests to such addresses wait from now on, or their answers."""
        held = Held(answers=answers)
        self.page.route(pattern, held.take)
        return held

    def answer(
        self, pattern: str, status: int, body: str, content_type: str = "application/json"
    ) -> None:
        """Something in between answers requests to such addresses from now on."""
        self.page.route(
            pattern,
            lambda route: route.fulfill(status=status, body=body, content_type=content_type),
        )

    def asked(self, method: str) -> list[str]:
        """The addresses of the requests of this method from now on."""
        asked: list[str] = []

        def note(request: Request) -> None:
            if request.method == method:
                asked.append(request.url)

        self.page.on("request", note)
        return asked

    def until(self, is_so: Callable[[], object]) -> None:
        """Return when it is so, as it must be soon."""
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(20)

    def rest(self) -> None:
        """Time for what must not happen."""
        self.page.wait_for_timeout(300)

    def comes_back(self) -> None:
        """Turn to the window again, from another one."""
        self.stays("dispatchEvent(new Event('focus'))")

    def keeps_pressing(self, key: str) -> None:
        """Press a key that is down already, as a keyboard does on and on; then let it go."""
        for _ in range(4):
            self.page.keyboard.down(key)
        self.page.keyboard.up(key)

    def drops(self, name: str, text: str) -> bool:
        """Drop a file on the page; whether the page keeps the browser from opening it."""
        prevented: bool = self.page.evaluate(_DROP, [name, text])
        return prevented

    def active_name(self) -> str:
        """The name in the row that screen readers are told of."""
        row = self["#grid"].get_attribute("aria-activedescendant")
        return self[f"#{row} .name"].inner_text()

    def undo(self) -> None:
        """Press Undo."""
        self["#toasts"].get_by_role("button", name="Undo").click()

    def stays(self, script: str) -> Any:  # noqa: ANN401 - whatever JavaScript gives
        """The value of a JavaScript expression in the page."""
        return self.page.evaluate(script)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and _TOLD_BY_THE_BROWSER not in message.text:
            self.faults.append(message.text)

    def _watch(self, request: Request) -> None:
        if not request.url.startswith((self.service.origin, "blob:", "data:")):
            self.faults.append(f"asked elsewhere: {request.url}")


@contextmanager
def open_visitor(browser: Browser, service: Service, **options: Any) -> Iterator[Visitor]:  # noqa: ANN401 - playwright's
    """A visitor in a window of their own."""
    with browser.new_context(**{"viewport": DESKTOP, "locale": "en-GB"} | options) as context:
        context.set_default_timeout(30_000)
        yield Visitor(context.new_page(), service)


def plant(service: Service, token: str, *plants: Mapping[str, object]) -> None:
    """Create plants over the interface."""
    with service.client(token) as client:
        for one in plants:
            client.post("/plants", json=one, headers=JSON).raise_for_status()


def list_all(service: Service, token: str) -> Any:  # noqa: ANN401 - JSON
    """The store's plants, with all fields."""
    with service.client(token) as client:
        return client.get("/plants", params={"fields": "id,name,tag"}).raise_for_status().json()
