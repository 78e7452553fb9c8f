"""Runs the command line with ``python -m plantstore``."""

from plantstore.program import main

if __name__ == "__main__":
    main()
