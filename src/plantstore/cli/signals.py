"""What signals do to commands that write files, or much."""

import signal


def end_cleanly() -> None:
    """Have SIGTERM end a command as Ctrl-C does: it removes its unfinished files."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
