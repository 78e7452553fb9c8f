"""Makes what the package has beside its sources: the version, and the features' files.

It imports the package of its own checkout, also where another one is installed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
