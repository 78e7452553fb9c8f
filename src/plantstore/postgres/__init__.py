"""The PostgreSQL adapter: any number of processes, on any number of machines, with one database."""

from plantstore.core.errors import SetupError

try:
    import psycopg as psycopg  # all modules of the adapter need it
except ImportError as error:
    raise SetupError("PostgreSQL needs psycopg: pip install 'plantstore[postgres]'") from error
