"""Tests of the events feature on every kind of database."""
