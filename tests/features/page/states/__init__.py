"""The states of the page, with the steps that lead to each state.

Invariant: every ``@flow`` in a module of this folder is checked, without another list of flows.
"""

from importlib import import_module
from pkgutil import iter_modules

for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")
