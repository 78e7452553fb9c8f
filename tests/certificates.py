"""Self-signed certificates for tests."""

import subprocess
from pathlib import Path


def make_certificate(folder: Path, name: str = "cert", host: str = "IP:127.0.0.1") -> Path:
    """Write ``name``.pem, for the host, and ``name``.key to the folder; return the certificate."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", f"/CN={name}"),
            *("-addext", f"subjectAltName={host}"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    key.chmod(0o600)
    return certificate
