"""The PostgreSQL adapter: any number of processes, on any number of machines, with one database."""
