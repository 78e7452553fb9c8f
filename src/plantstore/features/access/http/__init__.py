"""Access over HTTP: a store's members and tokens, as its owners see and change them.

It is separate from requests for plants, which see its changes as they see any other process's
commit.
"""
