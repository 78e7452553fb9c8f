"""Tests of the access feature."""
