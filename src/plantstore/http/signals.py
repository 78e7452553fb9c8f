"""The signals that end a serving process."""

import signal

import uvicorn

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_on_signals(server: uvicorn.Server) -> None:
    """Let the server drain at a signal to stop, also where it comes before the server runs.

    uvicorn raises the signals again when it has drained: then they do nothing more.
    """
    for stop in STOPS:
        if signal.getsignal(stop) is not signal.SIG_IGN:  # as nohup leaves SIGHUP
            signal.signal(stop, server.handle_exit)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
