"""Many plants in one request."""
