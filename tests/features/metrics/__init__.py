"""Tests of the metrics feature."""
