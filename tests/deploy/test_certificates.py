"""A renewed certificate is taken without a restart; a bad one changes nothing."""

import os
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

KEPT = "the TLS certificate is kept as it was"


@pytest.fixture(params=[1, 2])
def service(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Service]:
    """A service with a certificate, in one process or two workers."""
    make_certificate(tmp_path)
    files = {"tls_cert": tmp_path / "cert.pem", "tls_key": tmp_path / "cert.key"}
    with Service(tmp_path, settings={**files, "workers": request.param}) as running:
        yield running
        assert running.stop() == 0
    assert "Traceback" not in running.log()


def shown_certificates(service: Service) -> set[bytes | None]:
    """The certificates that new connections get, in every process."""
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    shown: dict[str, bytes | None] = {}
    while len(shown) < max(1, len(worker_pids(service))):
        with Connection(service.origin, trust=trust) as connection:
            process = connection.ask(LIVE).headers["x-request-id"].split("-")[0]
            shown[process] = connection.certificate()
    return set(shown.values())


def read_certificate(path: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert(path.read_text("ascii"))


def replace(folder: Path, name: str) -> None:
    """Put a certificate with its key in the place of the service's."""
    for end in ("key", "pem"):
        (folder / f"{name}.{end}").rename(folder / f"cert.{end}")


def test_a_new_certificate_is_taken_when_its_files_change(service: Service, tmp_path: Path) -> None:
    new = read_certificate(make_certificate(tmp_path, "new"))
    assert shown_certificates(service) == {read_certificate(tmp_path / "cert.pem")}
    replace(tmp_path, "new")
    wait_until(lambda: shown_certificates(service) == {new})


def test_links_that_lead_elsewhere_are_a_change(tmp_path: Path) -> None:
    """As certbot and Kubernetes replace a certificate."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        make_certificate(tmp_path / name)
    link, other = tmp_path / "live", tmp_path / "other"
    link.symlink_to("old")
    files = {"tls_cert": link / "cert.pem", "tls_key": link / "cert.key"}
    with Service(tmp_path, settings=files) as service:
        other.symlink_to("new")
        other.rename(link)
        new = {read_certificate(tmp_path / "new" / "cert.pem")}
        wait_until(lambda: shown_certificates(service) == new)


def test_a_hangup_has_it_taken_at_once_and_keeps_connections(
    service: Service, tmp_path: Path
) -> None:
    new = read_certificate(make_certificate(tmp_path, "new"))
    trust = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    with Connection(service.origin, trust=trust) as connection:
        assert connection.ask(LIVE).status == 200
        replace(tmp_path, "new")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: shown_certificates(service) == {new})
        assert connection.ask(LIVE).status == 200


def test_files_that_do_not_belong_together_change_nothing(service: Service, tmp_path: Path) -> None:
    old = read_certificate(tmp_path / "cert.pem")
    new = read_certificate(make_certificate(tmp_path, "new"))
    assert shown_certificates(service) == {old}  # so all processes have started
    (tmp_path / "new.pem").rename(tmp_path / "cert.pem")
    processes = max(1, len(worker_pids(service)))
    wait_until(lambda: service.log().count(KEPT) >= processes)
    assert shown_certificates(service) == {old}
    (tmp_path / "new.key").rename(tmp_path / "cert.key")
    wait_until(lambda: shown_certificates(service) == {new})
    assert service.log().count(KEPT) == processes  # it is said once, not at each look


@pytest.mark.parametrize("workers", [1, 2])
def test_without_a_certificate_a_hangup_does_nothing(tmp_path: Path, workers: int) -> None:
    with Service(tmp_path, settings={"workers": workers}) as service:
        pids = worker_pids(service)
        for pid in (service.process.pid, *pids):
            os.kill(pid, signal.SIGHUP)
        with service.client(None) as client:
            for _ in range(20):
                assert client.get("/livez").is_success
        assert worker_pids(service) == pids
        assert service.stop() == 0
