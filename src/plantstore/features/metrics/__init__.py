"""Metrics for Prometheus: each worker counts; the first adds the counts up and serves them."""

from typing import Annotated

from msgspec import Meta, Struct

from plantstore.feature import Feature


class MetricsSettings(Struct, frozen=True):
    """The settings of metrics."""

    metrics: Annotated[
        Annotated[
            str,
            Meta(
                pattern=r"^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\+?[0-9]{1,5}\Z",
                description="an address, such as 127.0.0.1:9464",
            ),
        ]
        | None,
        "address of `/metrics` for Prometheus, such as `127.0.0.1:9464`, or `127.0.0.1:+1000` for "
        "1000 above the service's port; none by default",
    ] = None


FEATURE = Feature(
    adds_to="starting.add_metrics",
    surrounds="starting.surround",
    settings=MetricsSettings,
    flags={"metrics": "Serve /metrics at this address, such as 127.0.0.1:9464."},
)
