"""What plants, tokens and the three calls are, without HTTP and without a database."""
