"""Tests of the commands of the events feature."""
