"""What turns the checkout into the package; no part of the running program."""
