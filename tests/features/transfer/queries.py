"""The feature's queries that span stores, and the reason for each."""

ACROSS_STORES = dict.fromkeys(
    ("page_of_members", "page_of_tokens", "page_of_events", "page_of_keys"),
    "a copy reads stores in the order of their ids",
)
