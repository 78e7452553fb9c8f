"""Tests of the events feature over HTTP."""
