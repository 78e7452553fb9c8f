"""Checks what clients saw of one plant id against a plain model: one operation after the other.

A history is linearizable if there is an order of its operations that the model could have
gone through, and in which no operation comes before one that had ended when it began.
"""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.core.model import Outcome

State = tuple[str, str | None] | None  # the name and tag of the plant that has the id


class Operation(Struct, frozen=True):
    """What one client asked about the id, when, and what it was acknowledged.

    ``plant`` is what it wanted to create, or what it read, None where it wanted to delete, or found
    none. An update replaces only ``expected``.
    """

    kind: str
    plant: State
    outcome: Outcome
    began: float
    ended: float
    expected: State = None


def apply(state: State, operation: Operation) -> tuple[Outcome, State]:
    """The model: what an operation gives, and the state that it leaves."""
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


def find_order(history: Sequence[Operation], last: State) -> list[Operation] | None:
    """An order that explains the history from no plant to the ``last`` state, or None."""
    dead_ends: set[tuple[frozenset[int], State]] = set()
    order: list[Operation] = []

    def search(left: frozenset[int], state: State) -> bool:
        if not left:
            return state == last
        if (left, state) in dead_ends:
            return False
        first_end = min(history[number].ended for number in left)
        for number in left:
            operation = history[number]
            if operation.began > first_end:
                continue
            outcome, following = apply(state, operation)
            if outcome is operation.outcome:
                order.append(operation)
                if search(left - {number}, following):
                    return True
                order.pop()
        dead_ends.add((left, state))
        return False

    return order if search(frozenset(range(len(history))), None) else None
