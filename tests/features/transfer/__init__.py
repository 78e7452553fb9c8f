"""Tests of the feature transfer."""
