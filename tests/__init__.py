"""Tests of behaviour, on real servers, databases and browsers."""
