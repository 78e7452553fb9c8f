"""Copies everything from one database to another, of either kind."""
