"""Tests of the changes feature."""
