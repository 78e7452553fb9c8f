"""Plant Store: a self-hosted HTTP/JSON service that keeps stores of plants."""

import gc

# Imports and requests leave few cycles; collecting them took 8 % of a start, and of a create.
gc.set_threshold(50_000, 20, 50)
