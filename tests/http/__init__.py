"""Tests over HTTP, against the real server process."""
