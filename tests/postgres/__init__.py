"""Tests of the PostgreSQL adapter alone, with a real server."""
