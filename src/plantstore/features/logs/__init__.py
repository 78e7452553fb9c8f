"""Logs of the requests: those that failed, were slow or refused, or all."""

from plantstore.feature import Feature

FEATURE = Feature(name="logs", adds_to="routes.add_logs")
