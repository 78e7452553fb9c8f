"""The states of the page, each with the steps that lead to it, to check all of them.

Invariant: every ``@flow`` in a module of this folder is checked; no other list names it.
"""

from importlib import import_module
from pkgutil import iter_modules

for found in iter_modules(__path__):
    import_module(f"{__name__}.{found.name}")
