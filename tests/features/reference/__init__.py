"""Tests of the reference feature."""
