"""Tests of the feature events for every kind of database."""
