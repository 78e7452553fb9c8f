"""The command line: options, output and what the core's commands do."""
