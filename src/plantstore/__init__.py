"""Plant Store: a self-hosted HTTP/JSON service that keeps stores of plants."""

__version__ = "1.0.0"
