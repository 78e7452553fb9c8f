"""The page in the browser at ``/``.

Its modules are in ``static/``. The state is in a few plain objects, and everything is drawn from
them and the list:

- ``state.js``: drafts (typed text), queue (changes that are not stored yet), undos
- ``list.js``: the plants of the store, from ``loading.js``; ``plant.js``: words, tags, order
- ``actions.js``: what the user does: each action queues changes, and has a message and an undo
- ``queue.js``: sends the changes in order, by ``api.js``, and reports to the list and the action

These draw, and handle keys and clicks: ``grid.js`` (rows, the selection), ``typing.js`` (row 0,
editors of cells), ``picker.js`` (tags below a field), ``search.js`` (bar, chips, order, count, the
address), ``pages.js`` (the panel of a plant; ``history.js`` and ``access.js`` instead of the
list), ``importer.js`` (``tables.js``, ``columns.js``), ``export.js`` (``qr.js``), ``main.js``
(signing in, the store, menus and keys).

Texts: ``texts.json``, read by ``texts.js``. The DOM: ``dom.js``. Types, only for ``make check``:
``types.d.ts``.
"""

from plantstore.feature import Feature

FEATURE = Feature(adds_to="routes.add_page", builds="building.make_files")
