"""Many changes in one request."""

from plantstore.feature import Feature

FEATURE = Feature(adds_to="routes.add_changes")
