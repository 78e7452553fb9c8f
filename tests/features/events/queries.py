"""The feature's queries across stores, and why that is right."""

ACROSS_STORES = {
    "find_oldest_event": "events grow old in all stores alike; it tells a number and a time",
    "find_ended_links": "links end in all stores alike; it tells numbers and hashes",
    "find_ended_tokens": "tokens end in all stores alike; it tells numbers and hashes",
    "find_unused_users": "a user may be a member of any store; it tells numbers",
}
