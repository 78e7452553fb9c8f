"""Tests of ``plantstore copy`` between databases of every kind."""
