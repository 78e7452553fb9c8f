"""The PostgreSQL adapter: any number of processes, on any number of machines, over one database."""
