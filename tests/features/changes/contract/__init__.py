"""Tests of the changes feature on every kind of database."""
