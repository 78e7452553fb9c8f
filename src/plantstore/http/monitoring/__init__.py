"""What sees each request with its response: the logs, and the counts of metrics."""
