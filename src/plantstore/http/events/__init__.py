"""The events of a store over HTTP: in pages, and live to those who listen."""
