"""Plants, tokens and the three calls, without HTTP and without a database."""
