"""The pages of the docs: their blocks, headings and links; and which test runs each block."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from tests.cli.program import Program

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
_GENERATED = "reference.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)

# Each test, and the pages or headings whose blocks it runs, written as links.
RUN_BY: Mapping[str, str] = {
    "tests/docs/test_readme.py": "README.md",
    "tests/docs/test_commands.py": "access.md import.md plants.md"
    " backup.md#sqlite backup.md#restore backup.md#verify backup.md#a-drill",
    "tests/docs/test_pages.py": "events.md moving.md quickstart.md monitoring.md#health"
    " monitoring.md#status production.md#settings production.md#tls install.md#shell-completion"
    " troubleshooting.md# troubleshooting.md#why-is-it-not-ready"
    " troubleshooting.md#who-deleted-plant-7 troubleshooting.md#which-token-leaked"
    " webhooks.md#create-a-webhook webhooks.md#when-a-receiver-fails webhooks.md#secrets",
    "tests/docs/test_receivers.py": "webhooks.md#receive-messages",
    "tests/docs/test_upgrade.py": "upgrade.md",
    "tests/docs/test_worst_day.py": "worst-day.md",
    "tests/clients/test_generated.py": "clients.md",
    "tests/deploy/test_packages.py": "install.md#for-a-service install.md#for-yourself",
    "tests/deploy/proxies.py": "proxies.md#nginx proxies.md#caddy proxies.md#haproxy",
    "tests/features/backups/test_one_store.py": "backup.md#one-store-of-several",
    "tests/features/backups/test_litestream.py": "backup.md"
    "#litestream-every-second-to-another-place",
    "tests/features/backups/test_s3.py": "backup.md#to-s3-compatible-storage",
    "tests/features/backups/test_postgres.py": "backup.md#dump backup.md#any-point-in-time",
}
NOT_RUN: Mapping[str, str] = {
    "install.md#": "it installs Debian's packages",
    "install.md#uninstall": "it removes a machine's service",
    "production.md#systemd": "it sets up a machine",
    "production.md#containers": "it needs Docker",
    "proxies.md#the-services": "it needs systemd; tests/deploy/test_rolling.py does the same",
    "monitoring.md#metrics": "it needs Prometheus",
    "monitoring.md#logs": "an example of a line",
    "monitoring.md#administration": "an example of a line",
    "monitoring.md#fail2ban": "it needs fail2ban",
    "troubleshooting.md#which-request-failed-or-was-slow": "it needs systemd's journal",
    "scaling.md#postgresql-several-processes-several-machines": "its URL is no database's",
    "citus.md#set-it-up": "it needs servers with Citus; tests/postgres/citus.py does the same",
}


class Block(Struct, frozen=True):
    """A fenced block: its kind, such as sh, and its text."""

    page: str
    heading: str
    kind: str
    text: str

    @property
    def place(self) -> str:
        """The link to the block's heading, or to the page."""
        return f"{self.page}#{anchor_of(self.heading)}"


def read_page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks_of(path: Path) -> Iterator[Block]:
    if path.name == _GENERATED:
        return
    text = read_page(path)
    for fenced in _BLOCK.finditer(text):
        above = _HEADING.findall(_BLOCK.sub("", text[: fenced.start()]))
        yield Block(path.name, above[-1] if above else "", fenced[1], fenced[2])


def read_blocks(page: str, *headings: str, kind: str = "sh") -> list[str]:
    """The texts of the blocks of a kind below these headings, or all headings."""
    return [
        block.text
        for block in blocks_of(DOCS / page)
        if block.kind == kind and (not headings or block.heading in headings)
    ]


def without_blocks(path: Path) -> str:
    return _BLOCK.sub("", read_page(path))


def anchors_of(path: Path) -> set[str]:
    return set(map(anchor_of, re.findall(r"^#+ (.+)$", without_blocks(path), re.MULTILINE)))


def anchor_of(heading: str) -> str:
    """The part after the # in a link to the heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def run_blocks(program: Program, *blocks: str, **environ: str) -> str:
    """Run blocks in a shell, with these variables; return what they print."""
    variables = "".join(f"export {name}={value}\n" for name, value in environ.items())
    result = program.in_shell("set -e\n" + variables + "".join(blocks), shell="bash")
    assert result.status == 0, result
    return result.out
