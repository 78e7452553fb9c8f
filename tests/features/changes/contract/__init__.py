"""Tests of the feature changes for every kind of database."""
