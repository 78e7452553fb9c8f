"""Garbage is collected in small portions, because all requests wait meanwhile."""

import gc

import plantstore


def test_few_objects_are_collected_at_once() -> None:
    assert plantstore.__doc__  # imported, which sets the portions
    gc.collect()  # the garbage of other tests
    collected: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            collected.append(info["collected"])

    gc.callbacks.append(note)
    for _ in range(60_000):
        cycle: list[object] = []
        cycle.append(cycle)
    gc.callbacks.remove(note)
    assert collected
    assert max(collected) <= 10_000
