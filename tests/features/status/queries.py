"""The feature's queries that span stores, and the reason for each."""

ACROSS_STORES = {
    "read_status": "it counts the tokens of all stores that expire soon, for the operator",
}
