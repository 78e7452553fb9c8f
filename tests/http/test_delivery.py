"""An answer that cannot be sent is closed: what it holds, such as a snapshot, is given back."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plantstore.http.answers import Stream
from plantstore.http.delivery import spool


async def read_parts() -> AsyncIterator[bytes]:
    yield b"[]"


def test_a_list_for_which_no_file_can_be_made_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    with pytest.raises(FileNotFoundError):
        asyncio.run(spool(Stream([], read_parts(), close)))
    assert closed
