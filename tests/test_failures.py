"""Repeated failures are logged at a limited rate, and the recovery once."""

import logging
import os
from types import SimpleNamespace

import pytest

from plantstore.core import failures as failures_module
from plantstore.core.failures import FailureLog, RepeatLimit, observing
from tests.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(failures_module, "time", SimpleNamespace(monotonic=clock))
    return clock


@pytest.fixture
def failures(clock: Clock, caplog: pytest.LogCaptureFixture) -> FailureLog:
    """The log of an operation that has not failed yet."""
    caplog.set_level(logging.INFO)
    assert clock
    return FailureLog(logging.getLogger("test"), "it works again")


def test_failures_are_logged_immediately_then_with_a_suppressed_count(
    failures: FailureLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(58):
        failures.add("it failed: %s", "no room")
        failures.add("it failed, too")
    clock.now += 1
    failures.add("it failed: %s", "no room")
    for _ in range(120):
        clock.now += 1
        failures.add("it failed: %s", "no room")
    failures.add("it failed: %s", "no network")
    clock.now += 1
    failures.add("it failed: %s", "no network")
    assert caplog.messages == [
        "it failed: no room",
        "it failed, too",
        "it failed: no room (116 more suppressed)",
        "it failed: no room (59 more suppressed)",
        "it failed: no network (1 more suppressed)",
    ]


def test_recovery_is_logged_once_with_the_duration_of_the_outage(
    failures: FailureLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    failures.note_success()
    assert caplog.messages == []  # without a failure there is no recovery
    for _ in range(5):
        failures.add("it failed")
        failures.add("it failed")
        clock.now += 0.5
    for _ in range(100):
        failures.note_success()
        clock.now += 0.5
    assert caplog.messages[-1] == "it works again after 2.5 s (9 more suppressed)"
    assert sum("again" in message for message in caplog.messages) == 1
    failures.add("it failed")
    assert caplog.messages[-1] == "it failed"


def test_an_intermittent_failure_logs_no_recovery(
    failures: FailureLog, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(100):
        failures.add("it failed")
        failures.note_success()
        clock.now += 0.1
    assert not any("again" in message for message in caplog.messages)
    assert len(caplog.messages) == 1


def test_forked_processes_share_the_repeat_limit(clock: Clock) -> None:
    limit = RepeatLimit()
    pid = os.fork()
    if pid == 0:
        os._exit(limit.admit("a cause") != 0)
    assert os.waitpid(pid, 0)[1] == 0
    assert limit.admit("a cause") is None
    clock.now += 1
    assert limit.admit("a cause") == 1


def test_an_observers_error_is_logged_and_goes_no_further(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    @observing
    def fail(count: int) -> None:
        raise OSError(28, f"no space for {count}")

    for count in range(3):
        fail(count)
    clock.now += 1
    fail(7)
    errors = [str(record.exc_info[1]) for record in caplog.records if record.exc_info]
    assert errors == ["[Errno 28] no space for 0", "[Errno 28] no space for 7"]
