"""The page in the browser at ``/``."""

from plantstore.feature import Feature

FEATURE = Feature(name="page", adds_to="routes.add_page", builds="building.make_files")
