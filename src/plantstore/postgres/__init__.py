"""The PostgreSQL adapter: any number of processes, on any number of machines, share a database."""

from plantstore.core.errors import SetupError

try:
    import psycopg as psycopg  # every module of the adapter needs it
except ImportError as error:
    raise SetupError("PostgreSQL needs psycopg: pip install 'plantstore[postgres]'") from error
