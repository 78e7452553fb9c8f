"""``plantstore copy``: between databases of every kind."""
