"""What operators must watch: backups, the certificate, the disk, and tokens that expire."""

import base64
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from plantstore.core.clock import DAY_MS, now, write_time
from plantstore.core.database import Row
from plantstore.core.settings import Settings
from plantstore.databases import find_file, reading
from plantstore.sql.administration.tokens import SOON_MS
from plantstore.sql.checks import Check
from plantstore.sql.session import Queries

_MAX_BACKUP_DAYS = {"backup": 2, "verified backup": 8}
_MIN_FREE = 10**9  # bytes; a twentieth of a small disk
_BACKUP_ADVICE = (
    "back up each night with `plantstore backup FOLDER --verify --record`, and after a backup by "
    "another program run `plantstore backup --record`"
)
_CERTIFICATE = re.compile("-----BEGIN CERTIFICATE-----(.+?)-----END", re.DOTALL)
# A certificate's validity in DER: from and until, with two or four digits of the year.
_VALIDITY = re.compile(
    rb"\x30[\x1e\x20\x22](?:\x17\x0d\d{12}Z|\x18\x0f\d{14}Z)(?:\x17\x0d(\d{12})Z|\x18\x0f(\d{14})Z)"
)


class Facts(Struct, frozen=True):
    """Times in milliseconds, None for never or not applicable; the size of SQLite's disk in bytes.

    ``created_at`` is that of the oldest store: from then on there should be backups.
    """

    created_at: int | None
    backup_at: int | None
    verified_at: int | None
    tokens_expiring: int
    certificate_ends_at: int | None
    disk_free: int | None
    disk_size: int


def find_facts(settings: Settings, reader: Queries) -> Facts:
    (row,) = reader.query("read_status", now(), now() + SOON_MS)
    return to_facts(settings, row)


def to_facts(settings: Settings, row: Row) -> Facts:
    """The facts in a row of ``read_status``, and about the certificate and the disk."""
    created_at, backup_at, verified_at, tokens = row
    ends_at = read_certificate_end(settings.tls_cert)
    file = find_file(settings.database)
    size, _, free = (0, 0, None) if file is None else shutil.disk_usage(file.parent)
    return Facts(created_at, backup_at, verified_at, tokens, ends_at, free, size)


def read_certificate_end(path: str | None) -> int | None:
    """When the first certificate of a PEM file expires: 0 if unreadable, None without a file."""
    if path is None:
        return None
    try:
        pem = _CERTIFICATE.search(Path(path).read_text(encoding="ascii", errors="replace"))
        validity = pem and _VALIDITY.search(base64.b64decode(pem[1]))
        if not validity:
            return 0
        year = validity[2] or (b"19" if validity[1] >= b"5" else b"20") + validity[1]
        moment = datetime.strptime(year.decode(), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except (OSError, ValueError):
        return 0
    return int(moment.timestamp() * 1000)


def check(settings: Settings) -> Iterator[Check]:
    """The facts as results of ``plantstore check``."""
    with reading(settings.database) as reader:
        yield from judge(find_facts(settings, reader))


def judge(facts: Facts) -> Iterator[Check]:
    """Check each known fact."""
    at = now()
    backups = {"backup": facts.backup_at, "verified backup": facts.verified_at}
    for name, made_at in backups.items():
        days = (at - (made_at or facts.created_at or at)) / DAY_MS
        detail = f"the last {name} was recorded {days:.1f} days ago"
        advice = ", too long ago: see the log of plantstore-backup.service"
        if made_at is None:
            detail, advice = f"no {name} was recorded", f": {_BACKUP_ADVICE}"
        yield _judge(name, detail, advice, ok=days <= _MAX_BACKUP_DAYS[name])
    if facts.certificate_ends_at is not None:
        ends = f"expires at {write_time(facts.certificate_ends_at)}"
        detail = f"the TLS certificate {ends if facts.certificate_ends_at else 'cannot be read'}"
        is_long = facts.certificate_ends_at > at + SOON_MS
        yield _judge("certificate", detail, ": renew it", ok=is_long)
    if facts.disk_free is not None:
        detail = f"the disk has {facts.disk_free / 10**9:.1f} GB free"
        is_free = facts.disk_free >= min(_MIN_FREE, facts.disk_size / 20)
        yield _judge("disk", detail, ": free some space", ok=is_free)
    detail = f"tokens that expire within 14 days: {facts.tokens_expiring}"
    yield Check("tokens", ok=True, detail=detail)


def _judge(name: str, detail: str, advice: str, *, ok: bool) -> Check:
    return Check(name, ok=ok, detail=detail if ok else f"{detail}{advice}")
