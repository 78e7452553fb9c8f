"""Measures the service beside baselines, in the same run: ``python -m bench``."""
