"""Carries revocations over from the replaced database to the restored backup.

Invariant: access that was lost since the backup is not restored. The replaced database is only
read, and trusted only if it has a store of the backup. All columns are of the first schema, so any
two versions fit.
"""

from contextlib import closing, suppress
from pathlib import Path

import apsw
from msgspec import Struct

from plantstore.core.clock import now

# Tokens that were revoked, or now expire earlier, as after a rotation.
_TOKENS = """
UPDATE main.tokens AS t
SET revoked_at = coalesce(t.revoked_at, old.revoked_at),
    expires_at = min(coalesce(t.expires_at, old.expires_at), coalesce(old.expires_at, t.expires_at))
FROM replaced.tokens AS old
WHERE old.store_id = t.store_id AND old.token_hash = t.token_hash AND t.revoked_at IS NULL
    AND (old.revoked_at IS NOT NULL OR old.expires_at < coalesce(t.expires_at, 9223372036854775807))
"""
# Tokens of deleted users, and tokens deleted long after their end. The newest token is never
# deleted: newer tokens in the backup were created after the replaced database, maybe an older
# backup.
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
    """Revoke in a restored file, which nobody uses, all that was revoked in the replaced database.

    Returns None if the replaced database cannot be read.
    """
    with closing(apsw.Connection(str(restored), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        # The WAL of the file, if any, is kept.
        if replaced.with_name(f"{replaced.name}-wal").exists():
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        with suppress(apsw.Error):
            connection.execute("ATTACH ? AS replaced", (str(replaced),)).fetchall()
            with connection:
                if not connection.execute(_SAME_STORES).get:
                    return Revocations(0, 0, [])  # not a later state of the backup
                users = [subject for (subject,) in connection.execute(_DELETED_USERS)]
                tokens = _change(connection, _TOKENS) + _change(connection, _DELETED_TOKENS, now())
                members = _change(connection, _REMOVED_MEMBERS) + _change(connection, _LOWER_ROLES)
                return Revocations(tokens, members, users)
    return None


def _change(connection: apsw.Connection, statement: str, *arguments: object) -> int:
    connection.execute(statement, arguments).fetchall()
    return connection.changes()
