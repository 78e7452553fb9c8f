"""The tags of a store, each with its number of plants."""

from plantstore.feature import Feature

FEATURE = Feature(adds_to="routes.add_tags")
