"""Tests of the feature changes."""
