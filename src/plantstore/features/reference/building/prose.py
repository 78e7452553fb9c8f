"""Descriptions: CommonMark with tables, as HTML. HTML in them is shown as text."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markupsafe import Markup
from msgspec import Struct

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


class Topic(Struct, frozen=True):
    """A part of a text, with its heading."""

    title: str
    anchor: str
    html: Markup


def render(text: str) -> Markup:
    """A text, with its paragraphs."""
    return Markup(_MARKDOWN.render(text))  # noqa: S704 - markdown-it escapes it


def render_inline(text: str) -> Markup:
    """A text of one paragraph, without it."""
    return Markup(_MARKDOWN.renderInline(text.strip()))  # noqa: S704 - as in render


def split_topics(text: str) -> Iterator[Topic]:
    """The parts of a text that begin with a heading; what is before the first has none."""
    tokens = _MARKDOWN.parse(text)
    lines = text.splitlines(keepends=True)
    starts = [token.map for token in tokens if token.type == "heading_open" and token.map]
    ends = [begin for begin, _ in starts[1:]] + [len(lines)]
    if before := "".join(lines[: starts[0][0] if starts else None]).strip():
        yield Topic("", "", render(before))
    for (begin, after), end in zip(starts, ends, strict=True):
        title = lines[begin].strip("# \n")
        anchor = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        yield Topic(title, anchor, render("".join(lines[after:end])))
