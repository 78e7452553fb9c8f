"""Tests of the pages for people, with a real browser and a real server."""
