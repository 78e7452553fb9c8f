"""Webhooks: signed messages about each change, sent to addresses that the store's owners choose."""

from typing import Annotated

from msgspec import Meta, Struct

from plantstore.feature import Feature, Metric


class WebhookSettings(Struct, frozen=True):
    """The settings of webhooks."""

    webhook_allow_private: Annotated[
        bool, "whether webhooks may lead to private addresses, and with http to this machine"
    ] = False
    webhook_key: Annotated[
        Annotated[str, Meta(min_length=32, description="32 characters or more")] | None,
        "a secret from which new webhooks' secrets are derived; else the database stores them",
    ] = None


FEATURE = Feature(
    adds_to="routes.add_webhooks",
    settings=WebhookSettings,
    commands={"webhook": "commands.webhook"},
    metrics=(
        Metric("webhooks_failing", "gauge", "Webhooks that refused the last message"),
        Metric("webhook_delay_seconds", "gauge", "Age of the oldest unsent change", merge="max"),
    ),
)
