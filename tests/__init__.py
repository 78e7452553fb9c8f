"""Tests: named as behaviours, on real parts."""
