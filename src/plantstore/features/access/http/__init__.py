"""Access over HTTP: a store's members and tokens, as its owners see and change them.

It has a room of its own: requests for plants know nothing of it, and what it does to the database
is seen there as any other process's commit.
"""
