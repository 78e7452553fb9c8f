"""Tests of the feature access of its commands."""
