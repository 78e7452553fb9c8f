"""Tests of backups, of restoring them, and of verifying."""
