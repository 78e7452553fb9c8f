"""Tests of the access feature on every kind of database."""
