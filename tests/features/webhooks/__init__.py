"""Tests of the feature webhooks."""
