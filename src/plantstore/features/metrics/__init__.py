"""Metrics for Prometheus: what workers count, how it comes together, and how it is served."""

from plantstore.feature import Feature

FEATURE = Feature(name="metrics", adds_to="starting.add_metrics", surrounds="starting.surround")
