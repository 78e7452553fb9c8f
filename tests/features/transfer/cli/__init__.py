"""Tests of the feature transfer of its commands."""
