"""Tests of the feature transfer for every kind of database."""
