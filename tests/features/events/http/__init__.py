"""Tests of the feature events over HTTP."""
