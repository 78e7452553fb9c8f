"""How much the named queries read, on large tables."""
