"""Limits that keep clients fair to each other: rates, turns, places, what guesses may cost."""
