"""The pages of the docs: their blocks, headings and links; and where each block is run."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
_GENERATED = "reference.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)

# The tests that run the blocks of a heading: "" is what comes before the first, "*" the page.
RUN_BY: Mapping[tuple[str, str], str] = {
    ("README.md", "*"): "tests/docs/test_readme.py",
    ("access.md", "*"): "tests/docs/test_commands.py",
    ("import.md", "*"): "tests/docs/test_commands.py",
    ("plants.md", "*"): "tests/docs/test_commands.py",
    ("events.md", "*"): "tests/docs/test_pages.py",
    ("webhooks.md", "Create a webhook"): "tests/docs/test_pages.py",
    ("webhooks.md", "Receive messages"): "tests/docs/test_receivers.py",
    ("webhooks.md", "When a receiver fails"): "tests/docs/test_pages.py",
    ("webhooks.md", "Secrets"): "tests/docs/test_pages.py",
    ("moving.md", "*"): "tests/docs/test_pages.py",
    ("troubleshooting.md", "Why is it not ready?"): "tests/docs/test_pages.py",
    ("troubleshooting.md", "Who deleted plant 7?"): "tests/docs/test_pages.py",
    ("troubleshooting.md", "Which token leaked?"): "tests/docs/test_pages.py",
    ("troubleshooting.md", ""): "tests/docs/test_pages.py",
    ("monitoring.md", "Health"): "tests/docs/test_pages.py",
    ("monitoring.md", "Status"): "tests/docs/test_pages.py",
    ("production.md", "Settings"): "tests/docs/test_pages.py",
    ("production.md", "TLS"): "tests/docs/test_pages.py",
    ("quickstart.md", "*"): "tests/docs/test_pages.py",
    ("clients.md", "*"): "tests/clients/test_generated.py",
    ("install.md", "For a service"): "tests/deploy/test_packages.py",
    ("install.md", "For yourself"): "tests/deploy/test_packages.py",
    ("install.md", "Shell completion"): "tests/docs/test_pages.py",
    ("upgrade.md", "*"): "tests/docs/test_upgrade.py",
    ("worst-day.md", "*"): "tests/docs/test_worst_day.py",
    ("backup.md", "SQLite"): "tests/docs/test_commands.py",
    ("backup.md", "To S3-compatible storage"): "tests/features/backups/test_s3.py",
    ("backup.md", "Restore"): "tests/docs/test_commands.py",
    ("backup.md", "One store of several"): "tests/features/backups/test_one_store.py",
    ("backup.md", "Verify"): "tests/docs/test_commands.py",
    ("backup.md", "A drill"): "tests/docs/test_commands.py",
    (
        "backup.md",
        "Litestream: every second, to another place",
    ): "tests/features/backups/test_litestream.py",
    ("backup.md", "Dump"): "tests/features/backups/test_postgres.py",
    ("backup.md", "Any point in time"): "tests/features/backups/test_postgres.py",
    ("proxies.md", "nginx"): "tests/deploy/proxies.py",
    ("proxies.md", "Caddy"): "tests/deploy/proxies.py",
    ("proxies.md", "HAProxy"): "tests/deploy/proxies.py",
}
NOT_RUN: Mapping[tuple[str, str], str] = {
    ("install.md", ""): "it installs Debian's packages",
    ("production.md", "systemd"): "it sets up a machine",
    ("production.md", "Containers"): "it needs Docker",
    ("proxies.md", "The services"): "it needs systemd; tests/deploy/test_rolling.py does the same",
    ("monitoring.md", "Metrics"): "it needs Prometheus",
    ("monitoring.md", "Logs"): "an example of a line",
    ("monitoring.md", "Administration"): "an example of a line",
    ("monitoring.md", "fail2ban"): "it needs fail2ban",
    ("troubleshooting.md", "Which request was slow?"): "it needs systemd's journal",
    ("scaling.md", "Several workers on a file"): "tests/faults/test_workers.py starts several",
    ("scaling.md", "PostgreSQL: several processes, several machines"): "its URL is no database's",
    ("citus.md", "Set it up"): "it needs servers with Citus; tests/postgres/citus.py does the same",
}


class Block(Struct, frozen=True):
    """A fenced block: its kind, such as sh, and its text."""

    page: str
    heading: str
    kind: str
    text: str


def read_page(path: Path) -> str:
    """The page's text."""
    return path.read_text(encoding="utf-8")


def blocks_of(path: Path) -> Iterator[Block]:
    """The page's blocks, in their order."""
    if path.name == _GENERATED:
        return
    text = read_page(path)
    for found in _BLOCK.finditer(text):
        above = _HEADING.findall(_BLOCK.sub("", text[: found.start()]))
        yield Block(path.name, above[-1] if above else "", found[1], found[2])


def take(page: str, *headings: str, kind: str = "sh") -> list[str]:
    """The texts of the blocks of a kind below these headings, or all headings."""
    return [
        block.text
        for block in blocks_of(DOCS / page)
        if block.kind == kind and (not headings or block.heading in headings)
    ]


def without_blocks(path: Path) -> str:
    """The page's prose."""
    return _BLOCK.sub("", read_page(path))


def anchors_of(path: Path) -> set[str]:
    """What links to the page's headings have after the #."""
    titles = re.findall(r"^#+ (.+)$", without_blocks(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
