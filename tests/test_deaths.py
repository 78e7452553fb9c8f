"""A worker that dies is replaced at once; where it dies at its start again and again, no more."""

from plantstore.server.workers import Deaths


def test_the_fifth_death_at_the_start_in_a_row_is_the_last_and_each_waits_longer() -> None:
    deaths = Deaths()
    assert [deaths.find_delay(1.0) for _ in range(5)] == [0, 0.5, 1, 2, None]


def test_after_a_healthy_minute_the_count_starts_again() -> None:
    deaths = Deaths()
    for _ in range(3):
        assert [deaths.find_delay(1.0) for _ in range(4)] == [0, 0.5, 1, 2]
        assert deaths.find_delay(60.0) == 0


def test_a_death_between_is_neither_at_the_start_nor_after_a_healthy_minute() -> None:
    deaths = Deaths()
    deaths.find_delay(1.0)
    deaths.find_delay(1.0)
    assert [deaths.find_delay(30.0) for _ in range(9)] == 9 * [0.5]
