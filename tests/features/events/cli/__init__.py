"""Tests of the feature events of its commands."""
