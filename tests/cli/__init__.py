"""The command line, as people and programs call it."""
