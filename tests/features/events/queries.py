"""The feature's queries across stores, and why that is right."""

ACROSS_STORES = {
    "find_oldest_event": "events grow old in all stores alike; it tells a number and a time",
}
