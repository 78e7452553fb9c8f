"""Copies within this process."""

from collections.abc import Mapping

from plantstore.features.transfer.copying import open_copy


def copy(source: str, target: str, store: str | None = None) -> Mapping[str, int]:
    """Copy and verify; return the number of written rows of each kind."""
    with open_copy(source, target, store) as copying:
        copying.check()
        sum(copying.write())
        sum(copying.verify())
        return copying.written
