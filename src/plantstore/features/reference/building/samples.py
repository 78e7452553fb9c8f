"""Sample calls of an operation in curl, Python and JavaScript.

Each is complete except for the token, which is in the variable ``TOKEN``. A test runs them all.
"""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct

from plantstore.features.reference.building.document import Json

# Where `make serve` listens; the page's script replaces it with the page's own address.
ORIGIN = "http://127.0.0.1:8080"
_JSON = "application/json"
_BEARER = "Authorization"
_WIDTH = 62  # characters: the width of the code column
_PYTHON = {"true": "True", "false": "False", "null": "None"}


class Call(Struct, frozen=True):
    """A call: its URL, its headers except Authorization, and its body, which is JSON or text."""

    method: str
    url: str
    needs_token: bool
    headers: dict[str, str]
    media_type: str
    body: Any
    returned: str  # the media type of the response, if it has a body


def make_call(operation: Json, media_type: str = "") -> Call:
    """A call of the operation with all required parameters, each with its first example."""
    given: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}}
    for parameter in operation["parameters"]:
        if parameter.get("required"):
            given[parameter["in"]][parameter["name"]] = example_of(parameter)
    in_path = {name: quote(str(value), safe="{}") for name, value in given["path"].items()}
    query = f"?{urlencode(given['query'])}" if given["query"] else ""
    content = operation["requestBody"]["content"][media_type] if media_type else {}
    return Call(
        method=operation["method"].upper(),
        url=ORIGIN + operation["path"].format_map(in_path) + query,
        needs_token=operation.get("security") != [],
        headers={name: str(value) for name, value in given["header"].items()},
        media_type=media_type,
        body=next((value for _, value in list_examples(content)), {}) if media_type else None,
        returned=_find_returned(operation, media_type),
    )


def list_examples(content: Json) -> list[tuple[str, Json]]:
    """The examples of a media type, each with its summary.

    A single example has an empty summary.
    """
    if "example" in content:
        return [("", content["example"])]
    named = content.get("examples", {})
    examples = []
    for name, example in named.items():
        default = name.replace("_", " ").capitalize() if len(named) > 1 else ""
        examples.append((example.get("summary") or default, example["value"]))
    return examples


def example_of(parameter: Json) -> Json:
    """The parameter's example, else its default, else its name in braces."""
    default = parameter["schema"].get("default", f"{{{parameter['name']}}}")
    return parameter.get("example", default)


def _find_returned(operation: Json, sent: str) -> str:
    """The response's media type: the request's, if the response has it."""
    responses = operation["responses"].items()
    successes = (success for status, success in responses if status.startswith("2"))
    names = [name for success in successes for name in success.get("content", {})]
    return sent if sent in names else next(iter(names), "")


def write_curl(call: Call) -> str:
    """The call in curl, for a shell that has the token in ``TOKEN``."""
    default = "GET" if call.body is None else "POST"
    parts = [("" if call.method == default else f"-X {call.method} ") + shlex.quote(call.url)]
    if call.needs_token:
        parts.append(f'-H "{_BEARER}: Bearer $TOKEN"')
    parts += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in call.headers.items()]
    if call.media_type:
        text = call.body if isinstance(call.body, str) else write_value(call.body)
        parts += [f'-H "Content-Type: {call.media_type}"', f"-d {shlex.quote(text)}"]
    return "curl " + " \\\n  ".join(parts)


def write_python(call: Call) -> str:
    """The call in Python, with httpx."""
    is_json = call.media_type == _JSON  # httpx then sets the header
    parts = [f'"{call.url}"']
    if headers := _write_headers(call, 'f"Bearer {TOKEN}"', "" if is_json else call.media_type):
        parts.append(f"headers={headers}")
    if is_json:
        parts.append(f"json={write_value(call.body, 2, 6, _PYTHON)}")
    elif call.media_type:
        parts.append(f'content="""\\\n{call.body}"""')
    inner = parts[0] if len(parts) == 1 else "\n  " + ",\n  ".join(parts) + ",\n"
    shown = {_JSON: "json()", "": "status_code"}.get(call.returned, "text")
    method = call.method.lower()
    code = f"import httpx\n\nresponse = httpx.{method}({inner})\nprint(response.{shown})"
    return re.sub("^ +", lambda spaces: 2 * spaces[0], code, flags=re.MULTILINE)


def write_javascript(call: Call) -> str:
    """The call in JavaScript, for browsers, Node.js and others that have ``fetch``."""
    parts = [] if call.method == "GET" else [f'method: "{call.method}"']
    if headers := _write_headers(call, "`Bearer ${TOKEN}`", call.media_type):
        parts.append(f"headers: {headers}")
    if call.media_type == _JSON:
        parts.append(f"body: JSON.stringify({write_value(call.body, 2, 23)})")
    elif call.media_type:
        parts.append(f"body: `{call.body}`")
    options = ", {\n  " + ",\n  ".join(parts) + ",\n}" if parts else ""
    shown = {_JSON: "await response.json()", "": "response.status"}
    return (
        f'const response = await fetch("{call.url}"{options});\n'
        f"console.log({shown.get(call.returned, 'await response.text()')});"
    )


def _write_headers(call: Call, token: str, media_type: str) -> str:
    """The headers; ``token`` is the language's expression for the value of Authorization."""
    given = call.headers | ({"Content-Type": media_type} if media_type else {})
    lines = [f'"{_BEARER}": {token}'] if call.needs_token else []
    lines += [f'"{name}": {write_value(value)}' for name, value in given.items()]
    inside = "".join(f"\n    {line}," for line in lines) + "\n  " if lines[1:] else "".join(lines)
    return f"{{{inside}}}" if lines else ""


def write_value(value: Json, column: int = 0, used: int = 0, words: Mapping[str, str] = {}) -> str:
    """Write a value, with further lines indented by ``column``; ``used`` characters precede it.

    ``words`` are the literals that a language writes differently from JSON.
    """
    flat = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list):
        return words.get(flat, flat)
    if column + used + len(flat) <= _WIDTH and not any(word in flat for word in words):
        return flat
    inner, braces = column + 2, "{}" if isinstance(value, dict) else "[]"
    items = value.items() if isinstance(value, dict) else (("", item) for item in value)
    starts = (
        (json.dumps(key, ensure_ascii=False) + ": " if key else "", item) for key, item in items
    )
    lines = [start + write_value(item, inner, len(start), words) for start, item in starts]
    begin = f"\n{' ' * inner}"
    return f"{begin}{f',{begin}'.join(lines)}\n{' ' * column}".join(braces)


def write_example(value: Json) -> str:
    """An example as text: strings unquoted, anything else as JSON."""
    return value.rstrip("\n") if isinstance(value, str) else write_value(value)


# Each language: its name, how to assign a token to ``TOKEN``, and how to write a call.
LANGUAGES = {
    "curl": ("curl", "TOKEN=pst_…", write_curl),
    "python": ("Python", 'TOKEN = "pst_…"', write_python),
    "javascript": ("JavaScript", 'const TOKEN = "pst_…";', write_javascript),
}
