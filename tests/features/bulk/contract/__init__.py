"""Tests of the feature bulk for every kind of database."""
