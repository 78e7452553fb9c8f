"""Parses the preferences of a client: the headers Accept and Accept-Encoding."""

from collections.abc import Mapping

_MAX_CHOICES = 20  # the rest of a header is ignored


def read_weights(header: bytes) -> Mapping[bytes, float]:
    """The weight of each choice in lower case, from 0 to 1; other parameters are ignored."""
    weights = {}
    for part in header.lower().split(b",", _MAX_CHOICES)[:_MAX_CHOICES]:
        choice, *parameters = part.replace(b" ", b"").replace(b"\t", b"").split(b";")
        weight = next((it[2:] for it in parameters if it.startswith(b"q=")), b"1")
        try:
            weights[choice] = min(max(float(weight), 0.0), 1.0)
        except ValueError:
            weights[choice] = 0.0
    return weights
