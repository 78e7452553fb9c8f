"""The state of the service for its operator: one screen, checks, and metrics."""

from plantstore.feature import Feature, Metric

_TIMES = {
    "backup": "When the last backup was recorded, else the oldest store created",
    "verified_backup": "When the last verified backup was recorded, else the oldest store created",
    "certificate_expiry": "When the TLS certificate expires",
}

FEATURE = Feature(
    adds_to="watching.add_gauges",
    checks="facts.check",
    commands={"status": "commands.status"},
    metrics=(
        *(
            Metric(f"{name}_timestamp_seconds", "gauge", f"{when}, as a Unix time", merge="max")
            for name, when in _TIMES.items()
        ),
        Metric("disk_free_bytes", "gauge", "Free bytes of the SQLite file's disk", merge="max"),
        Metric("disk_size_bytes", "gauge", "Bytes of the SQLite file's disk", merge="max"),
        Metric("tokens_expiring", "gauge", "Valid tokens that expire in 14 days", merge="max"),
    ),
)
