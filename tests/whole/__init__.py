"""The interface as a whole, with all features."""
