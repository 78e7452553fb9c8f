"""Tests of the feature access over HTTP."""
