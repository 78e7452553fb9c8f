"""Files of plants: CSV and NDJSON, read and written as the page does."""
