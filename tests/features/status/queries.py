"""The feature's queries across stores, and why that is right."""

ACROSS_STORES = {
    "read_status": "the operator asks how many tokens of all stores expire soon",
}
