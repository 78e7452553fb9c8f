"""The contract of the persistence port, tested on every kind of database."""
