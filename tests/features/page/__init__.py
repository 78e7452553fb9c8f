"""Tests of the pages for people: a real browser before a real server."""
