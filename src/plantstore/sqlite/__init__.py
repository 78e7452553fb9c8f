"""The database on embedded SQLite: one file, one process or several on the same machine.

Read ``connection.py``, which opens the file; ``batch.py``, the rules of a write; ``writer.py``, the
group commit; and ``database.py``, which serves with them. ``data_version.py`` detects commits,
``snapshot.py`` reads long lists, ``readiness.py`` answers ``/readyz``, and ``session.py`` is for
administration.
"""
