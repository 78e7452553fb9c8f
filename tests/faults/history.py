"""Checks that the operations of clients on one plant id are linearizable.

They are if there is an order of the operations that a sequential model explains, and in which no
operation comes before one that had ended when it began.
"""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.core.model import Outcome

State = tuple[str, str | None] | None  # the name and tag of the plant that has the id


class Operation(Struct, frozen=True):
    """A client's operation on the id, with its times and its outcome.

    ``plant`` is the plant to create or the plant that was read; None for a delete, or if there was
    no plant. An update replaces only ``expected``.
    """

    kind: str
    plant: State
    outcome: Outcome
    began: float
    ended: float
    expected: State = None


def apply(state: State, operation: Operation) -> tuple[Outcome, State]:
    """The model: an operation's outcome, and the state after it."""
    if operation.kind == "read":
        return (operation.outcome, state) if state == operation.plant else (Outcome.ID_TAKEN, state)
    if operation.kind == "delete":
        return (Outcome.NO_SUCH_PLANT, None) if state is None else (Outcome.DELETED, None)
    if operation.kind == "update":
        return apply_update(state, operation)
    if state is None:
        return Outcome.CREATED, operation.plant
    if state == operation.plant:
        return Outcome.ALREADY_STORED, state
    return Outcome.ID_TAKEN, state


def apply_update(state: State, operation: Operation) -> tuple[Outcome, State]:
    if state is None:
        return Outcome.NO_SUCH_PLANT, None
    if state != operation.expected:
        return Outcome.PRECONDITION_FAILED, state
    return Outcome.UPDATED, operation.plant


def find_order(history: Sequence[Operation], final_state: State) -> list[Operation] | None:
    """An order that explains the history from no plant to the ``final_state``, or None."""
    dead_ends: set[tuple[frozenset[int], State]] = set()
    order: list[Operation] = []

    def search(remaining: frozenset[int], state: State) -> bool:
        if not remaining:
            return state == final_state
        if (remaining, state) in dead_ends:
            return False
        first_end = min(history[number].ended for number in remaining)
        for number in remaining:
            operation = history[number]
            if operation.began > first_end:
                continue
            outcome, following = apply(state, operation)
            if outcome is operation.outcome:
                order.append(operation)
                if search(remaining - {number}, following):
                    return True
                order.pop()
        dead_ends.add((remaining, state))
        return False

    return order if search(frozenset(range(len(history))), None) else None
