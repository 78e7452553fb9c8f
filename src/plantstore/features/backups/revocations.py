"""Carries revocations over to a backup that is restored: from the database that it replaces.

Invariant: access that was lost since the backup is not restored. It only reads the replaced
database, and trusts it only if it has a store of the backup. Every column is one of the first
schema, so any two versions fit.
"""

from contextlib import closing, suppress
from pathlib import Path

import apsw
from msgspec import Struct

from plantstore.core.clock import now

# One that was revoked, or now expires earlier, as after a rotation.
_TOKENS = """
UPDATE main.tokens AS t
SET revoked_at = coalesce(t.revoked_at, old.revoked_at),
    expires_at = min(coalesce(t.expires_at, old.expires_at), coalesce(old.expires_at, t.expires_at))
FROM replaced.tokens AS old
WHERE old.store_id = t.store_id AND old.token_hash = t.token_hash AND t.revoked_at IS NULL
    AND (old.revoked_at IS NOT NULL OR old.expires_at < coalesce(t.expires_at, 9223372036854775807))
"""
# Those of deleted users, and those that were deleted long after their end, never the newest token:
# what is newer than that was made after the replaced database, which may be an older backup.
_DELETED_TOKENS = """
UPDATE main.tokens SET revoked_at = ?1
WHERE revoked_at IS NULL AND (user_id NOT IN (SELECT user_id FROM replaced.users)
    OR store_id IN (SELECT store_id FROM replaced.stores)
    AND created_at <= (SELECT max(created_at) FROM replaced.tokens)
    AND (store_id, token_hash) NOT IN (SELECT store_id, token_hash FROM replaced.tokens))
"""
_REMOVED_MEMBERS = """
DELETE FROM main.members
WHERE user_id IN (SELECT user_id FROM replaced.users)
    AND store_id IN (SELECT store_id FROM replaced.stores)
    AND (store_id, user_id) NOT IN (SELECT store_id, user_id FROM replaced.members)
"""
_LOWER_ROLES = """
UPDATE main.members AS m SET role = old.role
FROM replaced.members AS old
WHERE old.store_id = m.store_id AND old.user_id = m.user_id
    AND instr('reader editor owner', old.role) < instr('reader editor owner', m.role)
"""
_DELETED_USERS = """
SELECT subject FROM main.users WHERE user_id NOT IN (SELECT user_id FROM replaced.users)
ORDER BY user_id
"""
_SAME_STORES = "SELECT count(*) FROM main.stores JOIN replaced.stores USING (store_id, created_at)"


class Revocations(Struct, frozen=True):
    """How many tokens and members lost access again, and which deleted users are back."""

    tokens: int
    members: int
    users: list[str]


def carry_over(replaced: Path, restored: Path) -> Revocations | None:
    """Revoke in a restored file, which nobody uses, what was revoked in the replaced database.

    None if that one cannot be read.
    """
    with closing(apsw.Connection(str(restored), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        # A file with a WAL keeps it.
        if replaced.with_name(f"{replaced.name}-wal").exists():
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        with suppress(apsw.Error):
            connection.execute("ATTACH ? AS replaced", (str(replaced),)).fetchall()
            with connection:
                if not connection.execute(_SAME_STORES).get:
                    return Revocations(0, 0, [])  # it is no later state of the backup
                users = [subject for (subject,) in connection.execute(_DELETED_USERS)]
                tokens = _change(connection, _TOKENS) + _change(connection, _DELETED_TOKENS, now())
                members = _change(connection, _REMOVED_MEMBERS) + _change(connection, _LOWER_ROLES)
                return Revocations(tokens, members, users)
    return None


def _change(connection: apsw.Connection, statement: str, *arguments: object) -> int:
    connection.execute(statement, arguments).fetchall()
    return connection.changes()
