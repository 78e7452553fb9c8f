"""The checker of histories finds an order where there is one, and none where there is none."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plantstore.model import Outcome
from tests.faults.history import Operation, State, apply, find_order

FICUS = ("Ficus", None)
FERN = ("Fern", "indoor")


def create(began: float, ended: float, outcome: Outcome, plant: State = FICUS) -> Operation:
    return Operation(plant, outcome, began, ended)


def delete(began: float, ended: float, outcome: Outcome = Outcome.DELETED) -> Operation:
    return Operation(None, outcome, began, ended)


@pytest.mark.parametrize(
    ("history", "last"),
    [
        ([], None),
        ([create(0, 1, Outcome.CREATED)], FICUS),
        ([create(0, 1, Outcome.CREATED), delete(2, 3)], None),
        ([create(0, 9, Outcome.CREATED), create(1, 2, Outcome.ID_TAKEN, FERN)], FICUS),
        ([create(0, 9, Outcome.ALREADY_STORED), create(1, 10, Outcome.CREATED)], FICUS),
        (
            [create(0, 9, Outcome.CREATED), delete(0, 9), create(0, 9, Outcome.CREATED, FERN)],
            FERN,
        ),
        ([delete(0, 1, Outcome.NO_SUCH_PLANT), create(0, 1, Outcome.CREATED)], FICUS),
    ],
    ids=["none", "create", "delete", "taken", "already stored", "in between", "before"],
)
def test_what_can_have_happened_is_explained(history: list[Operation], last: State) -> None:
    order = find_order(history, last)
    assert order is not None
    assert sorted(order, key=history.index) == history


@pytest.mark.parametrize(
    ("history", "last"),
    [
        ([create(0, 1, Outcome.CREATED)], None),
        ([create(0, 1, Outcome.ID_TAKEN)], None),
        ([create(0, 9, Outcome.CREATED), create(0, 9, Outcome.CREATED)], FICUS),
        ([create(0, 1, Outcome.CREATED), delete(2, 3), delete(4, 5)], None),
        ([create(0, 1, Outcome.CREATED), create(2, 3, Outcome.CREATED), delete(4, 5)], None),
        ([create(0, 9, Outcome.CREATED), create(0, 9, Outcome.ALREADY_STORED, FERN)], FICUS),
        ([delete(0, 1), create(2, 3, Outcome.CREATED)], None),
        ([create(0, 1, Outcome.CREATED), delete(2, 3, Outcome.NO_SUCH_PLANT)], FICUS),
        ([create(0, 1, Outcome.CREATED)], FERN),
    ],
    ids=[
        "lost",
        "taken by nobody",
        "created twice",
        "deleted twice",
        "overwritten",
        "taken for another",
        "deleted before",
        "not seen",
        "swapped",
    ],
)
def test_what_cannot_have_happened_is_found(history: list[Operation], last: State) -> None:
    assert find_order(history, last) is None


def explains_by_trial(history: list[Operation], last: State) -> bool:
    """The same question, answered by trying every order there is."""
    for order in permutations(history):
        ends_before = any(
            later.ended < earlier.began
            for place, earlier in enumerate(order)
            for later in order[place + 1 :]
        )
        state: State = None
        possible = not ends_before
        for operation in order:
            outcome, state = apply(state, operation)
            possible = possible and outcome is operation.outcome
        if possible and state == last:
            return True
    return False


operations = st.builds(
    lambda plant, outcome, began, took: Operation(plant, outcome, began, began + took),
    st.sampled_from([None, FICUS, FERN]),
    st.sampled_from(Outcome),
    st.integers(0, 8),
    st.integers(0, 4),
)


@given(st.lists(operations, max_size=5), st.sampled_from([None, FICUS, FERN]))
def test_it_finds_what_trying_every_order_finds(history: list[Operation], last: State) -> None:
    assert (find_order(history, last) is not None) == explains_by_trial(history, last)


@given(st.lists(st.tuples(st.sampled_from([None, FICUS, FERN]), st.floats(0, 3)), max_size=30))
def test_every_history_of_the_model_itself_is_explained(
    asked: list[tuple[State, float]],
) -> None:
    state: State = None
    history = []
    for moment, (plant, around) in enumerate(asked):
        operation = Operation(plant, Outcome.CREATED, moment - around, moment + around)
        outcome, state = apply(state, operation)
        history.append(replace(operation, outcome=outcome))
    assert find_order(history, state) is not None
