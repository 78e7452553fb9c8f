"""Logs requests: failed, slow and refused requests, or all."""

from typing import Annotated

from msgspec import Meta, Struct

from plantstore.feature import Feature


class LogsSettings(Struct, frozen=True):
    """The settings of the logs."""

    access_log: Annotated[bool, "whether to log every request; cached lists are then slower"] = (
        False
    )
    slow_request: Annotated[
        float, Meta(ge=0, le=86400), "seconds after which a request is logged as slow; 0 for never"
    ] = 1.0


FEATURE = Feature(
    adds_to="request_log.add_logs",
    settings=LogsSettings,
    flags={"access_log": "Log every request."},
)
