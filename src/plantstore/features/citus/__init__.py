"""PostgreSQL with Citus: the tables are distributed by store over several servers.

Invariant: a statement of the serving path is of one store, which Citus hands on as a whole to the
server that has the store's shard.
"""

from plantstore.feature import Feature

FEATURE = Feature(name="citus", commands={"distribute": "commands.distribute"})
