"""Many plants in one request."""

from plantstore.feature import Feature

FEATURE = Feature(name="bulk", adds_to="creates.add_bulk_creates")
