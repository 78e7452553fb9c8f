"""All that knows HTTP: the protocol's bounds, the routes, the answers and their error numbers."""
