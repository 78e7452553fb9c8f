"""The tests of each feature, which go with it."""
