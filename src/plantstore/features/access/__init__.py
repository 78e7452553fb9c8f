"""Who may do what: stores, users, members, tokens and links, by commands and over HTTP."""

from plantstore.feature import Feature

FEATURE = Feature(name="access", adds_to="http.routes.add_access")
