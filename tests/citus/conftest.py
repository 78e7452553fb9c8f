"""These tests need a cluster."""

import os

collect_ignore_glob = [] if "TEST_ON_CITUS" in os.environ else ["test_*.py"]
