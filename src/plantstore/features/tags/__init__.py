"""Each tag of a store, with the number of its plants."""

from plantstore.feature import Feature

FEATURE = Feature(name="tags", adds_to="tags.add_tags")
