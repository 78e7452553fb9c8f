"""The version of this checkout's build.

Invariant: two commits have different versions, unless both are releases of one number.
"""

import subprocess
from pathlib import Path

# Between releases: the next release's number with .dev, which the release's commit removes.
NUMBER = "1.0.0.dev"

_ROOT = Path(__file__).parents[1]


def read_version() -> str:
    """Such as 1.0.0.dev608+ga07f04d, with the commit's count and hash; dev0 without git."""
    if not NUMBER.endswith(".dev"):
        return NUMBER
    commits = _list_commits()
    return f"{NUMBER}{len(commits)}+g{commits[0][:7]}" if commits else f"{NUMBER}0"


def _list_commits() -> list[str]:
    """The hashes of the checkout's commits, the latest first; none if it has no history."""
    if not (_ROOT / ".git").exists():  # git would look for it in the folders above
        return []
    # The checkout may be another user's: root installs from it.
    command = ("git", "-c", "safe.directory=*", "-C", _ROOT, "rev-list", "HEAD")
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    except (OSError, subprocess.CalledProcessError):  # git is not installed, or there is no commit
        return []
    return result.stdout.split()
