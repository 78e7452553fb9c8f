"""The reference at ``/docs``, and the OpenAPI document that it shows; with the page's styles."""

from plantstore.feature import Feature

FEATURE = Feature(adds_to="routes.add_reference", builds="building.make_files")
