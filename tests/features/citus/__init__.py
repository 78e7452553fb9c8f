"""Tests of Citus; ``make test-citus`` runs those that need a cluster, with others of databases."""
