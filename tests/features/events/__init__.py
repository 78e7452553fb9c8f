"""Tests of the feature events."""
