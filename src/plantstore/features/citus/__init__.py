"""PostgreSQL with Citus: the tables are distributed by store over several servers.

Invariant: each statement of the serving path concerns one store, so that Citus passes it whole to
the server with the store's shard.
"""

from plantstore.feature import Feature

FEATURE = Feature(commands={"distribute": "commands.distribute"})
