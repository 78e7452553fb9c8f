"""TLS to the server: ``sslmode=verify-full`` takes the right certificate and no other."""

from pathlib import Path

import pytest

from tests.certificates import make_certificate
from tests.cli.program import Program
from tests.postgres.server import PostgresServer
from tests.postgres.tls_front import TLSFront
from tests.service import Service


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with certificates."""
    made = tmp_path_factory.mktemp("certificates")
    make_certificate(made, "server")
    make_certificate(made, "stranger")
    make_certificate(made, "elsewhere", "DNS:elsewhere.example")
    return made


def test_the_service_runs_over_tls(
    postgres_server: PostgresServer, folder: Path, tmp_path: Path
) -> None:
    with (
        postgres_server.fresh() as plain,
        TLSFront(postgres_server.port, folder, "server") as front,
    ):
        url = through(front, postgres_server, plain, folder / "server.pem")
        with (
            Service(tmp_path, database=url) as service,
            service.client(service.make_token()) as client,
        ):
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
            assert client.get("/plants").json() == [{"name": "Fern"}]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("server", "stranger"), "certificate verify failed"),
        (("elsewhere", "elsewhere"), 'does not match host name "127.0.0.1"'),
    ],
)
def test_another_certificate_is_refused(
    postgres_server: PostgresServer,
    folder: Path,
    tmp_path: Path,
    names: tuple[str, str],
    reason: str,
) -> None:
    shown, trusted = names
    front = TLSFront(postgres_server.port, folder, shown)
    with postgres_server.fresh() as plain, front:
        url = through(front, postgres_server, plain, folder / f"{trusted}.pem")
        program = Program(tmp_path, {"PLANTSTORE_DATABASE": url})
        assert reason in program.refusal("token", "list")


def through(front: TLSFront, server: PostgresServer, plain: str, root: Path) -> str:
    """The URL of a database by way of TLS, where only this certificate is trusted."""
    url = plain.replace(str(server.port), str(front.port))
    return f"{url}?sslmode=verify-full&sslrootcert={root}"
