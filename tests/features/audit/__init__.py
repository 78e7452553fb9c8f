"""Tests of the audit feature."""
