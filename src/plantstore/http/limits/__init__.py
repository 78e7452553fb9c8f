"""Limits that share the service fairly: rates, lanes, and the cost of invalid tokens."""
