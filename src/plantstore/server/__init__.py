"""The HTTP server: connections, framing, limits, deadlines, workers. Plants are unknown here."""
