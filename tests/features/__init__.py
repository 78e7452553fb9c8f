"""Tests of each feature; a folder is deleted together with its feature."""
