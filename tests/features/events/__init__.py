"""Tests of the events feature."""
