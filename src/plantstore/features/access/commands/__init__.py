"""The commands that administer stores, users, members and links."""
