"""Measures the service with wrk, beside the floor that its server sets: ``python -m bench``."""
