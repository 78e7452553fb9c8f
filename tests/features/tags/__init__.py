"""Tests of the feature tags."""
