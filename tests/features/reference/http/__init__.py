"""Tests of the reference feature over HTTP."""
