"""Makes the parts of the package that are not sources: the version, and the features' files.

It imports the package of its own checkout, even if another is installed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
