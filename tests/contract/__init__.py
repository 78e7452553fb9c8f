"""The persistence port's contract: the same for every kind of database."""
