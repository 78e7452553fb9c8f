"""All routes, of the core and of features: what every route keeps to is shown for each of them.

A feature's tests name its own in ``routes.py``: ``ROUTES``, and which requests are ``INVALID``.
"""

from tests.http.fixtures import HEALTH, ME, OPERATIONS
from tests.of_features import of_features

ROUTES = (
    *OPERATIONS,
    *ME,
    *HEALTH,
    *(it for routes in of_features("routes", "ROUTES") for it in routes),
)
INVALID_OF_FEATURES = [row for rows in of_features("routes", "INVALID") for row in rows]
