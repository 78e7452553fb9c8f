"""Tests of ``plantstore import`` and ``export``."""
