"""Tests of the transfer feature."""
