"""What only a cluster of Citus has; run by ``make test-citus``, with other tests of databases."""
