"""Metrics, as Prometheus scrapes them."""
