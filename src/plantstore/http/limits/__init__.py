"""Limits that share the service fairly: rates, turns, and the cost of invalid tokens."""
