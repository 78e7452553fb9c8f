"""Adds to the package what is made from other sources: the site, and the version.

A wheel gets them from a temporary folder: the checkout may belong to another user. An editable
installation has them in a folder that git ignores; ``python -m building`` makes the site anew.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface[Any]):
    """What hatchling calls around the build of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files; ``version`` is hatchling's word for the kind of wheel."""
        sys.path.insert(0, self.root)
        from building.site import BUILT, write_site  # noqa: PLC0415 - found by the path alone

        self._temporary = TemporaryDirectory()
        folder = BUILT
        if version != "editable":
            folder = Path(self._temporary.name)
            build_data["force_include"][str(folder)] = "plantstore/built"
        write_site(folder)
        (folder / "version.txt").write_text(self.metadata.version, encoding="ascii")

    def finalize(self, *_: object) -> None:
        """Remove what the wheel has by now."""
        self._temporary.cleanup()
