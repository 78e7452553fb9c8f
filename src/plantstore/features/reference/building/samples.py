"""Calls of an operation in curl, Python and JavaScript.

Each is complete but for the token, which is a variable named ``TOKEN``, as the page says. A test
runs them all.
"""

import shlex
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import UNSET, Struct

from plantstore.features.reference.building.document import MediaType, Operation, Parameter
from plantstore.features.reference.building.values import JAVASCRIPT, JSON, PYTHON, Code

# Where `make serve` listens; the page's script puts the page's own address in its place.
ORIGIN = "http://127.0.0.1:8080"
_JSON = "application/json"
_BEARER = "Authorization"


class Call(Struct, frozen=True):
    """One call: where to, its headers but for the token's, and its body, JSON or text."""

    method: str
    url: str
    needs_token: bool
    headers: dict[str, str]
    media_type: str
    body: Any
    returned: str  # the media type of the response, if it has a body


def make_call(operation: Operation, media_type: str = "") -> Call:
    """The operation's call with what it requires, the first example of each."""
    required = [one for one in operation.parameters if one.required]
    content = operation.request_body.content if operation.request_body else {}
    return Call(
        method=operation.method.upper(),
        url=ORIGIN + _fill_in(operation.path, required),
        needs_token=operation.needs_token,
        headers={one.name: str(example_of(one)) for one in required if one.place == "header"},
        media_type=media_type,
        body=_first_example(content[media_type]) if media_type else None,
        returned=_find_returned(operation, media_type),
    )


def example_of(parameter: Parameter) -> Any:  # noqa: ANN401 - JSON
    """The parameter's example, or its default; else its name, in braces."""
    for value in (parameter.example, parameter.schema.default):
        if value is not UNSET:
            return value
    return f"{{{parameter.name}}}"


def _fill_in(path: str, required: list[Parameter]) -> str:
    values = {one.name: example_of(one) for one in required}
    for one in required:
        if one.place == "path":
            path = path.replace(f"{{{one.name}}}", quote(str(values[one.name]), safe="{}"))
    query = [(one.name, values[one.name]) for one in required if one.place == "query"]
    return f"{path}?{urlencode(query)}" if query else path


def _first_example(content: MediaType) -> Any:  # noqa: ANN401 - JSON
    examples = content.all_examples
    return examples[0].value if examples else {}


def _find_returned(operation: Operation, sent: str) -> str:
    """The response's media type: the request's, if there is one of that."""
    successes = (one for status, one in operation.responses.items() if status.startswith("2"))
    names = [name for one in successes for name in one.content]
    return sent if sent in names else next(iter(names), "")


def write_curl(call: Call) -> str:
    """The call in curl, for a shell that has the token in ``TOKEN``."""
    return "curl " + " \\\n  ".join(_write_curl_parts(call))


def _write_curl_parts(call: Call) -> Iterator[str]:
    default = "GET" if call.body is None else "POST"
    yield ("" if call.method == default else f"-X {call.method} ") + shlex.quote(call.url)
    if call.needs_token:
        yield f'-H "{_BEARER}: Bearer $TOKEN"'
    for name, value in call.headers.items():
        yield f"-H {shlex.quote(f'{name}: {value}')}"
    if call.media_type:
        yield f'-H "Content-Type: {call.media_type}"'
        is_text = isinstance(call.body, str)
        yield f"-d {shlex.quote(call.body if is_text else JSON.write(call.body))}"


def write_python(call: Call) -> str:
    """The call in Python, with httpx."""
    shown = {_JSON: "json()", "": "status_code"}.get(call.returned, "text")
    arguments = list(_write_python_arguments(call))
    inner = arguments[0] if len(arguments) == 1 else "\n    " + ",\n    ".join(arguments) + ",\n"
    return (
        f"import httpx\n\nresponse = httpx.{call.method.lower()}({inner})\nprint(response.{shown})"
    )


def _write_python_arguments(call: Call) -> Iterator[str]:
    yield PYTHON.write(call.url)
    is_json = call.media_type == _JSON  # httpx sets the header then
    if headers := _make_headers(call, 'f"Bearer {TOKEN}"', "" if is_json else call.media_type):
        yield f"headers={PYTHON.write(headers, 4, 9)}"
    if is_json:
        yield f"json={PYTHON.write(call.body, 4, 6)}"
    elif call.media_type:
        text = call.body
        is_plain = "\n" in text and "\\" not in text
        yield f'content="""\\\n{text}"""' if is_plain else f"content={PYTHON.write(text)}"


def write_javascript(call: Call) -> str:
    """The call in JavaScript, for browsers, Node.js and others that have ``fetch``."""
    shown = {_JSON: "await response.json()", "": "response.status"}
    options: dict[str, object] = {} if call.method == "GET" else {"method": call.method}
    if headers := _make_headers(call, "`Bearer ${TOKEN}`", call.media_type):
        options["headers"] = headers
    if call.media_type:
        options["body"] = Code(_write_javascript_body(call))
    url = f'"{call.url}"'
    rest = f", {JAVASCRIPT.write(options, 0, 99)}" if options else ""
    return (
        f"const response = await fetch({url}{rest});\n"
        f"console.log({shown.get(call.returned, 'await response.text()')});"
    )


def _write_javascript_body(call: Call) -> str:
    text = call.body
    if call.media_type == _JSON:
        return f"JSON.stringify({JAVASCRIPT.write(text, 2, 23)})"
    is_plain = "\n" in text and not any(one in text for one in ("`", "${", "\\"))
    return f"`{text}`" if is_plain else JAVASCRIPT.write(text)


def _make_headers(call: Call, token: str, media_type: str) -> dict[str, str]:
    """The headers; ``token`` is the language's expression for the value of Authorization."""
    headers: dict[str, str] = {_BEARER: Code(token)} if call.needs_token else {}
    return headers | call.headers | ({"Content-Type": media_type} if media_type else {})


class Language(Struct, frozen=True):
    """A language: its name for people, how a token is put into ``TOKEN``, and a call in it."""

    name: str
    setup: str
    write: Callable[[Call], str]


LANGUAGES = {
    "curl": Language("curl", "TOKEN=pst_…", write_curl),
    "python": Language("Python", 'TOKEN = "pst_…"', write_python),
    "javascript": Language("JavaScript", 'const TOKEN = "pst_…";', write_javascript),
}
