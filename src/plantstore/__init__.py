"""Plant Store: a self-hosted HTTP/JSON service that keeps stores of plants."""

import gc

# More often took 8 % of a start and of a create; more at once delays requests: this takes 2 ms.
gc.set_threshold(5_000, 20, 50)
