"""Access over HTTP: owners read and change a store's members, tokens and links.

Requests for plants see these changes like a commit of any other process.
"""
