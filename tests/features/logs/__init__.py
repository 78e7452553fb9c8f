"""Tests of the logs feature."""
