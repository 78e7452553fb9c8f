"""Copies within this process."""

from collections.abc import Mapping

from plantstore.features.transfer.copying import open_copy


def copy(source: str, target: str, store: str | None = None) -> Mapping[str, int]:
    """Copy and verify; how many rows of which kind were written."""
    with open_copy(source, target, store) as opened:
        opened.check()
        sum(opened.write())
        sum(opened.verify())
        return opened.written
