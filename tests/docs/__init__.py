"""The docs are held to the code."""
