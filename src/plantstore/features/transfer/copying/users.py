"""The users of the rows of a store that is copied into a database with users of its own."""

from collections import Counter
from collections.abc import Callable, Sequence

from plantstore.core.database import Row
from plantstore.features.transfer.tables import USERS, Table
from plantstore.sql.session import Session

Translate = Callable[[Table, Sequence[Row]], Sequence[Row]]


def keep_users(_table: Table, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows for a target whose users have the source's numbers."""
    return rows


class UsersBySubject:
    """The target's numbers of the source's users: by their subjects. Missing users are created."""

    def __init__(self, source: Session, target: Session, written: Counter[str]) -> None:
        self._source = source
        self._target = target
        self._written = written
        self._ids: dict[int, int] = {}

    def translate(self, table: Table, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows with the target's numbers."""
        are_users = [column in {"user_id", "added_by"} for column in table.columns]
        if not any(are_users):
            return rows
        return [
            tuple(
                self._find(value) if is_user else value
                for value, is_user in zip(row, are_users, strict=True)
            )
            for row in rows
        ]

    def _find(self, user_id: int | None) -> int | None:
        """A number of none of the source's users, such as a deleted one's, is the same there."""
        if user_id is None:
            return None
        if user_id not in self._ids:
            self._ids[user_id] = user_id
            for _, subject, created_at in self._source.query(USERS.read, user_id, user_id, 1):
                if not self._target.query("find_user", subject):
                    self._target.query("insert_user", subject, created_at)
                    self._written[USERS.name] += 1
                ((self._ids[user_id], _),) = self._target.query("find_user", subject)
        return self._ids[user_id]
