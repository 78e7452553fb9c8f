"""The feature's queries across stores, and why that is right."""

ACROSS_STORES = {
    "find_any_webhook": "it says whether there is any at all",
}
