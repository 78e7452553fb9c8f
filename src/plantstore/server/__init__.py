"""The HTTP server: connections, framing, bounds, deadlines, workers. It knows nothing of plants."""
