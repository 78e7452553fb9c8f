"""Imports a file's plants into a store: in portions, and as a whole or not at all."""
