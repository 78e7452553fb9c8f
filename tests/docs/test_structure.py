"""The docs as a whole: blocks are tested, links work, and names exist."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
import pytest

from plantstore.features.metrics.catalogue import CATALOGUE
from plantstore.http.errors import TABLE
from plantstore.program import cli
from plantstore.program.loading import SETTINGS
from tests.docs.pages import (
    DOCS,
    NOT_RUN,
    PAGES,
    ROOT,
    RUN_BY,
    anchors_of,
    blocks_of,
    read_page,
    without_blocks,
)

LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
PATH = re.compile(r"[`>]([a-z][\w.-]*/[\w./-]*)[`<]")
EVERY = [*ROOT.glob("*.md"), *DOCS.glob("**/*.md")]
ALL_BLOCKS = [block for page in PAGES for block in blocks_of(page)]
SOURCES = ROOT / "src" / "plantstore"
STARTING = (
    "core/settings.py core/sources.py databases.py features/metrics/starting.py"
    " postgres/__init__.py postgres/connection.py program/loading.py server/tls.py"
    " server/listeners.py sql/migrations.py sqlite/connection.py sqlite/file_lock.py"
)
NOT_AT_A_START = {
    " is in use: stop the service, and every other program that uses it (see `fuser`)",
    ": give two databases",  # of a copy
    "Citus can distribute only a PostgreSQL database",  # of a command
}


def test_each_block_is_run_by_a_test_or_exempt_for_a_reason() -> None:
    run = {place: test for test, places in RUN_BY.items() for place in places.split()}
    places = {block.place for block in ALL_BLOCKS}
    undecided = {place for place in places if place.partition("#")[0] not in run}
    assert undecided <= {*run, *NOT_RUN}
    assert {place for place in (*run, *NOT_RUN) if "#" in place} <= places, "no block there"
    assert not set(run) & set(NOT_RUN)
    for place, test in run.items():
        page = place.partition("#")[0]
        names = (page, page.removesuffix(".md").upper(), "DOCUMENT")
        assert any(name in (ROOT / test).read_text() for name in names), (page, test)


def test_no_command_stands_outside_of_a_block() -> None:
    for page in PAGES:
        for line in without_blocks(page).splitlines():
            assert not re.match(r" {4,}(\$ )?(plantstore|curl|export|systemctl) ", line), line


def test_links_and_anchors_exist() -> None:
    for document in EVERY:
        for target, anchor in LINK.findall(without_blocks(document)):
            path = (document.parent / target).resolve() if target else document
            assert path.exists(), f"{document}: {target}"
            assert not anchor or anchor in anchors_of(path), f"{document}: {target}#{anchor}"


def test_paths_in_the_developers_docs_exist() -> None:
    for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/request.svg"):
        for path in PATH.findall(read_page(ROOT / name)):
            if "NAME" not in path:
                assert (ROOT / path).exists() or (SOURCES / path).exists(), f"{name}: {path}"


def test_each_page_is_in_the_index() -> None:
    index = read_page(DOCS / "README.md")
    assert {page.name for page in PAGES if page.name not in index} == {"README.md"}


def test_a_decision_has_at_most_50_lines() -> None:
    lines = {path.name: len(read_page(path).splitlines()) for path in DOCS.glob("decisions/*.md")}
    assert max(lines.values()) <= 50, lines


def commands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from ((f"{name} {path}", inner) for path, inner in commands(command))
        else:
            yield name, command


COMMANDS = dict(commands(cli))
GROUPS = {path.split()[0] for path in COMMANDS if " " in path}


_OWN = r"(?:--(?:database|url|token-file) +\S+ +)*"
CALL = re.compile(rf"(?:^|\||&&|\$\(|exec|=\S+) *plantstore +{_OWN}([a-z-][^|;&)]*)", re.MULTILINE)


def calls_of(page: Path) -> Iterator[list[str]]:
    """The words of each call of the program, in blocks and in the text."""
    spans = re.findall(r"`([^`\n]+)`", without_blocks(page))
    scripts = [block.text for block in blocks_of(page) if block.kind in {"sh", "bash"}]
    for text in (*spans, *scripts):
        for words in CALL.findall(re.sub(r"\\\n\s*", " ", text)):
            yield words.split("\n")[0].split()


def test_commands_and_their_options_exist() -> None:
    pages = [page for page in PAGES if page.name != "reference.md"]
    for first, *arguments in chain.from_iterable(map(calls_of, pages)):
        if first in {"help", "--settings", "--version"}:
            continue
        if first == "plantstore":  # after a container's name
            first, *arguments = arguments  # noqa: PLW2901 - the call without it
        path = f"{first} {arguments[0]}" if first in GROUPS else first
        assert path in COMMANDS, (first, arguments)
        options = {name for option in COMMANDS[path].params for name in option.opts}
        used = {word.partition("=")[0] for word in arguments if word.startswith("--")}
        assert used <= options, (first, arguments)


SETTING_NAMES = {f"PLANTSTORE_{name.upper()}" for name in SETTINGS}


@pytest.mark.parametrize(
    ("pattern", "known"),
    [
        (
            r"(?<!_)PLANTSTORE_[A-Z_]*[A-Z]\b",
            {*SETTING_NAMES, *(f"{name}_FILE" for name in SETTING_NAMES), "PLANTSTORE_SETTINGS"},
        ),
        (r"`plantstore_([a-z_]+?)(?:_bucket|_sum|_count)?`", {metric.name for metric in CATALOGUE}),
        (
            r"(?<![\w,.:])[45][0-3]\d0[1-9]|(?<![\w,.:])400(?:1\d)",
            {str(row.number) for row in TABLE},
        ),
    ],
    ids=["settings", "metrics", "error numbers"],
)
def test_settings_metrics_and_error_numbers_in_the_docs_exist(
    pattern: str, known: set[str]
) -> None:
    for page in PAGES:
        assert set(re.findall(pattern, read_page(page))) <= known, page


def messages_of(source: Path) -> Iterator[str]:
    """The longest constant part of each message of a failed start."""
    for node in ast.walk(ast.parse(read_page(source))):
        match node:
            case ast.Raise(
                exc=ast.Call(
                    func=ast.Name("SetupError" | "UsageError" | "kind"), args=[message, *_]
                )
            ):
                parts = [part.value for part in ast.walk(message) if isinstance(part, ast.Constant)]
                yield max(map(str, parts), key=len, default="")


def test_every_message_of_a_failed_start_is_in_troubleshooting() -> None:
    page = plain(read_page(DOCS / "troubleshooting.md"))
    for source in STARTING.split():
        messages = list(messages_of(SOURCES / source))
        assert messages, source
        for message in messages:
            assert plain(message)[:24].strip() in page or message in NOT_AT_A_START, message


def plain(text: str) -> str:
    return " ".join(text.replace("`", "").strip(" ,;:)").split())
