"""Administration: tokens, users, stores and members, for the command line and for owners over HTTP.

All functions take a session. Those that write run within a transaction of it, unless they say
otherwise, and raise the domain's errors; the command line and ``http/`` turn them into words.

The service needs ``tokens``, ``new_tokens`` and ``records``; they import none of the others.
"""
