"""Writes a complete file or none, readable only by its owner; or writes to stdout.

Invariant: a symbolic link is replaced; its target is never written.
"""

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from plantstore.cli.workspace import publish, require_replaceable, workspace


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing, compressed if its name ends in ``.gz``; stdout for ``-``.

    The file appears, complete, when the block ends without an error.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path).absolute()
    require_replaceable(target)
    with workspace(target.parent, target.name) as folder:
        unfinished = folder / target.name
        with unfinished.open("wb") as file:
            if target.suffix == ".gz":
                # Without name and time in the header, the same plants give the same file.
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
                    yield cast("BinaryIO", compressed)
            else:
                yield file
        publish(unfinished, target)
