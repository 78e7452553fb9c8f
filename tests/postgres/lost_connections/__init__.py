"""The network to PostgreSQL fails at any byte: responses are correct, the service recovers."""
