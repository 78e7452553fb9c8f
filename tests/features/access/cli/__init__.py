"""Tests of the commands of the access feature."""
