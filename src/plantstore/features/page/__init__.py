"""The page in the browser at ``/``.

Its modules are in ``static/``. The truth is in three plain objects, and everything is drawn from
them and the list:

- ``state.js``: drafts (what is typed), queue (changes that are not stored yet), undos
- ``list.js``: the plants of the store, from ``loading.js``; ``plant.js``: words, tags, order
- ``actions.js``: what the user does: each puts changes into the queue, has a message and an undo
- ``queue.js`` sends them, in their order, by ``api.js``; it tells the list and the action

What draws, and takes keys and clicks: ``grid.js`` (rows), ``typing.js`` (row 0, editors of cells),
``picker.js`` (tags below a field), ``search.js`` (bar, chips, order, the address), ``selection.js``
(floating bar, count), ``pages.js`` (the panel of a plant; history and access in the list's place),
``main.js`` (signing in, the store, menus and keys).

What is loaded after the first view, by ``rest.js``: ``history.js``, ``access.js``, ``importer.js``
(``tables.js``, ``columns.js``), ``export.js`` (``qr.js``). Texts: ``texts.json``, read by
``texts.js``. The DOM: ``dom.js``. Types, for ``make check`` alone: ``types.d.ts``.
"""

from plantstore.feature import Feature

FEATURE = Feature(name="page", adds_to="routes.add_page", builds="building.make_files")
