"""Metrics for Prometheus: what workers count, how it comes together, and how it is served."""
