"""The states that the page can be in, each with the way to it: for looking at all of them.

Invariant: what has ``@flow`` in a module of this folder is looked at; nothing lists it again.
"""

from importlib import import_module
from pkgutil import iter_modules

for found in iter_modules(__path__):
    import_module(f"{__name__}.{found.name}")
