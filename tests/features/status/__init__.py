"""Tests of the feature status."""
