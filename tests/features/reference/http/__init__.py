"""Tests of the feature reference over HTTP."""
