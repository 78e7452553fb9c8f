"""Tests of the feature access."""
