"""Tests of the feature reference."""
