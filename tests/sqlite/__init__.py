"""Tests of the SQLite adapter alone: its files, schema, locks and disk."""
