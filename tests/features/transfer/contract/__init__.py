"""Tests of the transfer feature on every kind of database."""
