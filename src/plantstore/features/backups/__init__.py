"""Backups, restores and the verification of a database."""

from plantstore.feature import Feature

FEATURE = Feature(
    commands={
        "backup": "commands.backup",
        "restore": "commands.restore",
        "verify": "commands.verify",
    },
)
