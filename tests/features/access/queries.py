"""The feature's queries that span stores, and the reason for each."""

ACROSS_STORES = {
    "delete_keys_of": "it erases one user",
    "relabel_links": "it erases or replaces the name of one user",
    "relabel_tokens": "it erases or replaces the name of one user",
    "find_links": "the administrator may list the links of all stores",
    "delete_memberships_of": "it erases one user",
    "delete_tokens_of": "it erases one user",
    "list_all_members": "the administrator may list the members of all stores",
}
