"""Tests of the feature metrics for every kind of database."""
