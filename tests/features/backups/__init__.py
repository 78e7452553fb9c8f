"""Tests of ``plantstore backup``, ``restore`` and ``verify``."""
