"""The version of this build, written by the build."""

from pathlib import Path

VERSION = Path(__file__).with_name("built").joinpath("version.txt").read_text(encoding="ascii")
