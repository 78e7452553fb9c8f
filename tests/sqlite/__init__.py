"""What is true of the SQLite adapter alone: its files, its schema, its locks, its disk."""
