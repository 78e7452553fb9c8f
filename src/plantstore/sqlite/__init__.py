"""The database on embedded SQLite: one file, one process or several on the same machine."""
