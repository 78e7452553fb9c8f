"""The certificate, and what TLS needs of it."""

import ssl

from plantstore.errors import SetupError
from plantstore.settings import Settings


def load_certificate(settings: Settings) -> ssl.SSLContext | None:
    """What TLS needs, or None where the service has no certificate.

    :raises SetupError: the files are not a certificate and its key.
    """
    if settings.tls_cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ValueError) as error:
        raise SetupError(
            f"cannot use tls_cert {settings.tls_cert} with tls_key {settings.tls_key}: {error}"
        ) from None
    return context
