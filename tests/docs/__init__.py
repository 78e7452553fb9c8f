"""Tests that the docs match the code."""
