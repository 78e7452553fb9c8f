"""How a command that is at work ends early."""

import signal


def end_cleanly() -> None:
    """Have SIGTERM end a command as Ctrl-C does: it removes its unfinished files."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
