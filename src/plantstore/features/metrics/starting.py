"""Starts metrics if they are set; otherwise none of them is imported."""

from collections.abc import Iterator
from contextlib import contextmanager

from plantstore.feature import Start
from plantstore.features.metrics import MetricsSettings
from plantstore.http.app import App


@contextmanager
def surround(start: Start) -> Iterator[None]:
    """Make the folder that workers share, before they are forked."""
    if start.settings.of(MetricsSettings).metrics is None or start.settings.workers == 1:
        yield
        return
    from plantstore.features.metrics.folder import shared_folder  # noqa: PLC0415

    with shared_folder():
        import plantstore.features.metrics.meter  # noqa: F401, PLC0415 - for all workers

        yield


def add_metrics(app: App) -> None:
    address = app.settings.of(MetricsSettings).metrics
    if address is not None:
        from plantstore.features.metrics.exporter import serve_metrics  # noqa: PLC0415
        from plantstore.features.metrics.meter import measure  # noqa: PLC0415

        serve_metrics(address, app.settings.port, app.process.number)
        measure(app)
