"""Tests of the tags feature."""
