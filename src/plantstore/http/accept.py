"""What a client accepts, and how much it wants it: the headers Accept and Accept-Encoding."""

from collections.abc import Mapping

_MAX_CHOICES = 20  # that a client names; further ones are ignored


def read_weights(header: bytes) -> Mapping[bytes, float]:
    """The weight of each choice in lower case, from 0 to 1; other parameters are ignored."""
    weights = {}
    for part in header.lower().split(b",", _MAX_CHOICES)[:_MAX_CHOICES]:
        choice, *parameters = part.replace(b" ", b"").replace(b"\t", b"").split(b";")
        weights[choice] = _read_weight(parameters)
    return weights


def _read_weight(parameters: list[bytes]) -> float:
    for parameter in parameters:
        if parameter.startswith(b"q="):
            try:
                return min(max(float(parameter[2:]), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
