"""A renewed certificate is loaded without a restart; an invalid one is ignored."""

import shutil
import signal
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.certificates import make_certificate
from tests.faults.processes import worker_pids
from tests.http.raw import LIVE, Connection
from tests.service import Service
from tests.waiting import wait_until

UNCHANGED = "the TLS certificate is unchanged"


@pytest.fixture(params=[1, 2])
def service(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Service]:
    """A service with a certificate behind a link, in one process or two workers."""
    (tmp_path / "old").mkdir()
    make_certificate(tmp_path / "old")
    link(tmp_path, "old")
    files = {"tls_cert": tmp_path / "live" / "cert.pem", "tls_key": tmp_path / "live" / "cert.key"}
    settings = {**files, "workers": request.param, "server.tls._INTERVAL": 0.02}
    with Service(tmp_path, settings=settings) as running:
        yield running
        assert running.stop() == 0
    assert "Traceback" not in running.log()


def link(folder: Path, name: str) -> None:
    """Point the link at a folder, as certbot and Kubernetes replace a certificate."""
    other = folder / "other"
    other.symlink_to(name)
    other.rename(folder / "live")


def served_certificates(service: Service) -> set[bytes | None]:
    """The certificates that all processes send on new connections."""
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    certificates: dict[str, bytes | None] = {}
    while len(certificates) < max(1, len(worker_pids(service))):
        with Connection(service.origin, trust=trust) as connection:
            process = connection.request(LIVE).headers["x-request-id"].split("-")[0]
            certificates[process] = connection.certificate()
    return set(certificates.values())


def read_certificate(path: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert(path.read_text("ascii"))


def make_new_certificate(folder: Path) -> bytes:
    (folder / "new").mkdir()
    return read_certificate(make_certificate(folder / "new"))


def test_sighup_reloads_the_certificate_and_keeps_connections(
    service: Service, tmp_path: Path
) -> None:
    new = make_new_certificate(tmp_path)
    trust = ssl.create_default_context(cafile=str(tmp_path / "old" / "cert.pem"))
    with Connection(service.origin, trust=trust) as connection:
        assert connection.request(LIVE).status == 200
        link(tmp_path, "new")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: served_certificates(service) == {new}, pause=0.2)
        assert connection.request(LIVE).status == 200


@pytest.mark.parametrize("service", [2], indirect=True)
def test_changed_files_are_reloaded_only_if_certificate_and_key_match(
    service: Service, tmp_path: Path
) -> None:
    new, old = make_new_certificate(tmp_path), read_certificate(tmp_path / "old" / "cert.pem")
    assert served_certificates(service) == {old}  # so all processes have started
    shutil.copy(tmp_path / "new" / "cert.pem", tmp_path / "old")
    processes = max(1, len(worker_pids(service)))
    wait_until(lambda: service.log().count(UNCHANGED) >= processes)
    assert served_certificates(service) == {old}
    link(tmp_path, "new")
    wait_until(lambda: served_certificates(service) == {new}, pause=0.2)
    assert service.log().count(UNCHANGED) == processes  # logged once, not at each check
