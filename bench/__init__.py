"""Measures the service and baselines in the same run: ``python -m bench``."""
