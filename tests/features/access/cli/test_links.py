"""``plantstore link``: addresses to sign in with."""

from pathlib import Path

import httpx
import pytest

from tests.cli.program import Program
from tests.faults.processes import kill_all
from tests.service import Service


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with a store and its owner."""
    made = Program(tmp_path).with_database()
    made.out("token", "create", "--create", "--store", "nursery", "--user", "ada")
    return made


def test_the_address_signs_in(tmp_path: Path, program: Program) -> None:
    with Service(tmp_path, database=program.environ["PLANTSTORE_DATABASE"]) as service:
        address = ("--address", f"{service.origin}/")
        options = ("--store", "nursery", "--user", "ada", "--label", "laptop", *address)
        for more, expected in (((), 4), (("--manage",), 5)):
            origin, _, code = program.out("link", "create", *options, *more).partition("/#code=")
            assert origin == service.origin
            given = httpx.post(f"{origin}/links/redeem", json={"code": code}, verify=False).json()
            assert (given["user"], given["label"]) == ("ada", "laptop")
            assert len(given["scopes"]) == expected


def test_the_running_service_is_found_but_not_one_that_was_killed(
    tmp_path: Path, program: Program
) -> None:
    options = ("link", "create", "--store", "nursery", "--user", "ada")
    program.environ["PLANTSTORE_PORT"] = "8765"
    with Service(tmp_path) as first, Service(tmp_path, settings={"workers": 2}) as second:
        done = program.run(*options)
        assert done.out.startswith(f"{second.origin}/#code=psl_")
        assert "no running service" not in done.err
        for service in (second, first):
            kill_all(service)
            done = program.run(*options)
            assert done.out.startswith("http://127.0.0.1:8765/#code=psl_")
            assert done.err.startswith(
                "no running service was found; give --address if it is not at "
                "http://127.0.0.1:8765\n"
            )
        first.start()
        assert program.out(*options).startswith(f"{first.origin}/#code=psl_")


def test_the_public_url_comes_before_the_services_address(tmp_path: Path, program: Program) -> None:
    options = ("link", "create", "--store", "nursery", "--user", "ada")
    made = program.data(*options)
    assert made["url"].endswith(f"/#code={made['code']}")
    public_url = "https://plants.example/garden/"
    with Service(tmp_path, settings={"public_url": public_url}):
        assert program.out(*options).startswith(f"{public_url}#code=psl_")
    with Service(tmp_path):
        program.environ["PLANTSTORE_PUBLIC_URL"] = public_url
        assert program.out(*options).startswith(f"{public_url}#code=psl_")


def test_an_address_that_no_browser_opens_is_refused(tmp_path: Path, program: Program) -> None:
    options = ("link", "create", "--store", "nursery", "--user", "ada")
    said = program.refusal(*options, "--address", "plants.example", status=2)
    assert "a browser cannot open plants.example: give --address with http://" in said
    path = tmp_path / "socket"
    service = Service(tmp_path, settings={"uds": path})
    service.launch()
    try:
        service.wait_for_origin()
        assert f"a browser cannot open unix:{path}" in program.refusal(*options, status=2)
    finally:
        assert service.stop() == 0


def test_a_service_that_cannot_record_its_address_serves(tmp_path: Path, program: Program) -> None:
    (tmp_path / "plants.db-address").mkdir()
    with Service(tmp_path) as service:
        assert (
            "WARNING plantstore.features.access.address: plantstore link create will not find"
            in service.log()
        )
    options = ("link", "create", "--store", "nursery", "--user", "ada")
    assert "no running service was found" in program.run(*options).err


def test_links_that_wait_are_listed_and_revoked(program: Program) -> None:
    program.out("token", "create", "--create", "--store", "orchard", "--user", "eve")
    create = ("link", "create", "--user")
    made = program.data(*create, "ada", "--store", "nursery", "--expires", "never")
    other = program.data(*create, "eve", "--store", "orchard")
    fields = {"id", "store", "user", "label", "scopes", "expires_at", "code_expires_at"}
    assert made.keys() == fields | {"url", "code"}
    listed = program.data("link", "list")
    assert listed == [{key: link[key] for key in fields} for link in (made, other)]
    assert made["code"] not in program.out("link", "list")
    assert [link["id"] for link in program.data("link", "list", "--store", "orchard")] == [
        other["id"]
    ]
    done = program.run("link", "revoke", made["id"])
    assert done.err == f"revoked the link {made['id']} of ada for nursery\n"
    said = program.refusal("link", "revoke", other["id"], made["id"])
    assert f"there is no link with the id {made['id']}" in said
    assert program.data("link", "list") == listed[1:]
    program.out("token", "revoke", "--user", "eve")
    assert program.data("link", "list") == []
