"""The command line: options, output, and the core's commands."""
