"""Files of plants, imported and exported."""
