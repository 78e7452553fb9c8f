"""Tests of the feature access for every kind of database."""
