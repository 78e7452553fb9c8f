"""The feature's queries that span stores, and the reason for each."""

ACROSS_STORES = {
    "find_oldest_event": "events of all stores are trimmed alike; it returns a number and a time",
    "find_ended_links": "links of all stores end alike; it returns numbers and hashes",
    "find_ended_tokens": "tokens of all stores end alike; it returns numbers and hashes",
    "find_unused_users": "a user may be a member of any store; it returns numbers",
}
