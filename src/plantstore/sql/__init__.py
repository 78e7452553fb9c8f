"""What the SQL adapters share: named queries and numbered migrations, read from files."""
