"""Concurrent changes of access: the second sees the result of the first."""

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
        Service(folder, database=url, settings={"workers": 2}) as service,
    ):
        yield service


def change_concurrently(method: str, *calls: Call) -> list[int]:
    """Change members concurrently; the sorted numbers of the errors, 0 for a success."""
    body = {"json": {"role": "reader"}} if method == "PUT" else {}
    with ThreadPoolExecutor(len(calls)) as threads:
        responses = threads.map(
            lambda call: call[0].request(method, f"/members/{call[1]}", **body), calls
        )
        return sorted(
            0 if response.is_success else response.json()["error"] for response in responses
        )


@pytest.mark.parametrize("method", ["DELETE", "PUT"])
@pytest.mark.parametrize(
    ("removed", "numbers"),
    # Each removes the other, and the second has lost its rights; or each removes itself.
    [(("eve", "ada"), ([0, 40301], [0, 40403])), (("ada", "eve"), ([0, 40901],))],
    ids=["each other", "themselves"],
)
def test_concurrent_removals_or_demotions_keep_one_of_two_owners(
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
            assert change_concurrently(method, *zip((ada, eve), removed, strict=True)) in numbers
        with service.administration() as administration:
            roles = [member.role for member in administration.list_members(shared)]
        assert roles.count(Role.OWNER) == 1
