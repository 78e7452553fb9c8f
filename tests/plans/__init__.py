"""What the named queries read, on large tables."""
