"""Adds generated files to the package: the site, and the version.

A wheel gets them from a temporary folder, as the checkout may belong to another user. An editable
installation has them in a folder that git ignores; ``python -m building`` rebuilds the site.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface[Any]):
    """Hooks that hatchling calls before and after it builds a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files; ``version`` is hatchling's word for the kind of wheel."""
        sys.path.insert(0, self.root)
        from building.site import BUILT, write_site  # noqa: PLC0415 - found only by this path

        self._temporary = TemporaryDirectory()
        folder = BUILT
        if version != "editable":
            folder = Path(self._temporary.name)
            build_data["force_include"][str(folder)] = "plantstore/built"
        write_site(folder)
        (folder / "version.txt").write_text(self.metadata.version, encoding="ascii")

    def finalize(self, *_: object) -> None:
        """Remove the files, which are now in the wheel."""
        self._temporary.cleanup()
