"""Administration: tokens, users, stores and members, for the command line and for owners over HTTP.

All functions take a session. Unless they say otherwise, functions that write run within a
transaction of the session. They raise the domain's errors, which the command line and ``http/``
turn into messages; or, if only commands can fail so, ``SetupError``.
"""
