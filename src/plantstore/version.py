"""The version of this build of the program, which the build has written."""

from pathlib import Path

VERSION = Path(__file__).with_name("built").joinpath("version.txt").read_text(encoding="ascii")
