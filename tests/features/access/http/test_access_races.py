"""Changes of access that meet: one comes first, and the other one sees what it has done."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from plantstore.core.model import Role
from tests.databases import ON_BOTH, Kind
from tests.features.access.http.access_calls import managing
from tests.service import Service

pytestmark = ON_BOTH
ROUNDS = 5

Call = tuple[httpx.Client, str]


@pytest.fixture(scope="module")
def service(database_kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("races")
    with (
        database_kind.fresh(folder) as url,
        Service(folder, database=url, settings={"workers": 2}) as running,
    ):
        yield running


def change_at_once(method: str, *calls: Call) -> list[int]:
    """The numbers of the answers, 0 for a success, to changes of members that are sent together."""
    body = {"json": {"role": "reader"}} if method == "PUT" else {}
    with ThreadPoolExecutor(len(calls)) as threads:
        answers = threads.map(
            lambda call: call[0].request(method, f"/members/{call[1]}", **body), calls
        )
        return sorted(0 if answer.is_success else answer.json()["error"] for answer in answers)


@pytest.mark.parametrize("method", ["DELETE", "PUT"])
@pytest.mark.parametrize(
    ("removed", "numbers"),
    # Each the other, whoever is later having lost what it needs; or each themselves.
    [(("eve", "ada"), ([0, 40301], [0, 40403])), (("ada", "eve"), ([0, 40901],))],
    ids=["the other", "themselves"],
)
def test_of_two_owners_who_go_at_once_one_stays(
    service: Service,
    store: str,
    method: str,
    removed: tuple[str, str],
    numbers: tuple[list[int], ...],
) -> None:
    for number in range(ROUNDS):
        shared = f"{store}-{number}"
        service.make_token(shared, "ada")
        service.make_token(shared, "eve", role=Role.OWNER)
        with managing(service, shared, "ada") as ada, managing(service, shared, "eve") as eve:
            assert change_at_once(method, *zip((ada, eve), removed, strict=True)) in numbers
        with service.administration() as administration:
            roles = [member.role for member in administration.list_members(shared)]
        assert roles.count(Role.OWNER) == 1
