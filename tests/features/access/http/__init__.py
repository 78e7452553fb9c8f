"""Tests of the access feature over HTTP."""
