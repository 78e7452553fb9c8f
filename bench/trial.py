"""A line made ready to measure: its store filled, the service on it, and the loads for it.

Each run of a load gets numbers of its own, so that no two create or delete the same plant.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.answers import Answer, Asked, fetch
from bench.lines import BY_NAME, Line
from bench.load import Load, WrongAnswersError
from bench.servers import PYTHON, running_service
from bench.slow_fsync import DELAY_SECONDS, slow_down
from bench.stores import SPACING, STORE, fill_store
from plantstore.http.cursor import encode_cursor
from tests.service import Service

_NUMBERS_OF_RUN = 10**9
# Prime, so that runs begin at different ones, and many more than the service keeps ready.
_PATHS = 49_999
_STATUS = {"GET": 200, "POST": 200, "DELETE": 204}
NEW_ID = -1
_NEW_PLANT = b'{"id":-1,"name":"Monstera deliciosa","tag":"tropical"}'


class Trial(Struct, frozen=True):
    """``answers`` are the service's, by method, to what the load asks."""

    line: Line
    service: Service
    load: Load
    beside: Load | None
    answers: dict[str, Answer]


@contextmanager
def running_trial(
    line: Line, folder: Path, command: tuple[str, ...] = (PYTHON, "-m", "plantstore")
) -> Iterator[Trial]:
    """Fill the store, start the service, and look that it answers as it should."""
    name = line.name if line.writes else str(line.plants)
    database = fill_store(folder / f"{name}.db", line.plants)
    if line.on_slow_disk:
        command = slow_down(command, folder)
    with running_service(folder / "service", database, command) as service:
        headers = {"Authorization": f"Bearer {service.make_token(STORE, 'bench')}"}
        beside = None if line.beside is None else BY_NAME[line.beside]
        answers = record_answers(line, service, headers)
        if line.sends_etag:
            headers["If-None-Match"] = answers["GET"].header(b"etag").decode()
            answers = record_answers(line, service, headers)
        if beside is not None:
            answers |= record_answers(beside, service, headers)
            if line.on_slow_disk:
                answers["POST"] = replace(answers["POST"], delay=DELAY_SECONDS)
        yield Trial(
            line,
            service,
            make_load(line, headers, answers, folder),
            None if beside is None else make_load(beside, headers, answers, folder),
            answers,
        )


def first_number(line: Line, run: int, runs: int) -> int:
    """Where the numbers of one of so many runs begin; the first run has the number 1."""
    numbers = line.plants // (runs + 1) if "DELETE" in line.shares else _NUMBERS_OF_RUN
    return run * numbers


def check_still(trial: Trial) -> None:
    """Look that a list, where nothing wrote, is what it was at first."""
    if not trial.line.writes:
        again = fetch(trial.service.origin, ask(trial.line, "GET", trial.load.headers))
        if again.parts != trial.answers["GET"].parts:
            raise WrongAnswersError("the list is another one afterwards")


def record_answers(line: Line, service: Service, headers: dict[str, str]) -> dict[str, Answer]:
    """The service's answers, by method, to what the line's load asks.

    :raises WrongAnswersError: one is not what the line is about.
    """
    answers = {method: fetch(service.origin, ask(line, method, headers)) for method in line.shares}
    for method, answer in answers.items():
        wanted = 304 if "If-None-Match" in headers else _STATUS[method]
        if answer.status != wanted:
            raise WrongAnswersError(f"{method} is answered with {answer.status}: {answer.parts}")
    if "GET" in answers and not line.sends_etag:
        _check_listed(line, answers["GET"])
    return answers


def _check_listed(line: Line, answer: Answer) -> None:
    listed = sum(part.count(b'"name"') for part in answer.parts)
    if listed != line.listed:
        raise WrongAnswersError(f"{listed} plants are listed, not {line.listed}")


def ask(line: Line, method: str, headers: dict[str, str]) -> Asked:
    """The request of a method that the line's load is made of."""
    if method == "POST":
        return Asked(method, "/plants", headers | {"Content-Type": "application/json"}, _NEW_PLANT)
    if method == "DELETE":
        return Asked(method, f"/plants/{SPACING}", headers)
    return Asked(method, line.path, headers)


def make_load(
    line: Line, headers: dict[str, str], answers: dict[str, Answer], folder: Path
) -> Load:
    """The load of a line, whose answers are these."""
    return Load(
        script=line.script,
        path=line.path,
        connections=line.connections,
        headers=headers,
        answer_size=sum(share * answers[method].size for method, share in line.shares.items()),
        file=str(_write_paths(folder, line.plants)) if line.script == "paths" else "",
    )


def _write_paths(folder: Path, plants: int) -> Path:
    """A file of paths, each of another full page."""
    ids = (plants - 100) * SPACING
    cursors = (encode_cursor(number * ids // _PATHS) for number in _shuffle(_PATHS))
    file = folder / f"paths-{plants}"
    file.write_text("".join(f"/plants?limit=100&after={cursor}\n" for cursor in cursors))
    return file


def _shuffle(count: int) -> Iterator[int]:
    """The numbers below a prime, far from their neighbours."""
    return (number * 31_337 % count for number in range(count))
