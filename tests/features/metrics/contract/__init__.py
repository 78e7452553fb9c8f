"""Tests of the metrics feature on every kind of database."""
