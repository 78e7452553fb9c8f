"""The audit trail, which administration writes: a command reads it; old entries are trimmed."""

from typing import Annotated

from msgspec import Struct

from plantstore.core.settings import Days
from plantstore.feature import Feature


class AuditSettings(Struct, frozen=True):
    """The settings of the audit trail."""

    audit_keep: Annotated[Days, "days that the audit trail is kept; 0 means forever"] = 400


FEATURE = Feature(
    adds_to="trimming.add_trimming", settings=AuditSettings, commands={"audit": "commands.audit"}
)
