"""Many changes in one request."""

from plantstore.feature import Feature

FEATURE = Feature(name="changes", adds_to="routes.add_changes")
