"""The network to PostgreSQL fails at any byte: each answer is true, and the service goes on."""
