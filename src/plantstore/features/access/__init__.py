"""Who may do what: stores, users, members, tokens and links, by commands and over HTTP."""

from plantstore.feature import Feature

FEATURE = Feature(
    name="access",
    adds_to="http.routes.add_access",
    surrounds="address.surround",
    commands={
        "link": "commands.links.link",
        "member": "commands.members.member",
        "store": "commands.stores.store",
        "user": "commands.users.user",
    },
    flags={"welcome": "Show how to sign in; create a first store."},
)
