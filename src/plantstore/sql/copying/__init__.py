"""Copies all that one database holds to another, whatever kinds they are."""
