"""Tests of the status feature."""
