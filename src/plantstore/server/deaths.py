"""How soon a worker that died is replaced: at once, then later and later, and then not any more."""

EARLY_SECONDS = 10.0  # a worker that lived for less died at its start
_HEALTHY_SECONDS = 60.0  # after them the deaths before are forgotten
_MAX_EARLY = 5  # in a row
_FIRST_DELAY = 0.5  # of the second replacement; each later one waits twice as long


class Deaths:
    """The deaths in one worker's place."""

    def __init__(self) -> None:
        self.early = 0

    def find_delay(self, lived: float) -> float | None:
        """Seconds before the next worker, after one that lived so long; None for no other."""
        if lived >= _HEALTHY_SECONDS:
            self.early = 0
        self.early += lived < EARLY_SECONDS
        if self.early >= _MAX_EARLY:
            return None
        return _FIRST_DELAY * 2 ** (self.early - 2) if self.early > 1 else 0.0
