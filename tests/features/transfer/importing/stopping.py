"""The program, stopped at one of its writes: ``python -m`` this module, ``import`` and so on."""

import os
import signal

from plantstore.features.transfer import importing
from plantstore.program import main
from tests.stopped_writes import stop_at

PORTION_ROWS = 10
AT, SIGNAL = "TEST_STOPPED_AT", "TEST_STOPPED_BY"


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # maybe it is ignored
    vars(importing)["PORTION"] = PORTION_ROWS
    stop_at(os.environ[AT], int(os.environ[SIGNAL]))
    main()
