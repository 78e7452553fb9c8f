"""All routes, of the core and of features: rules for every route are tested on each of them.

A feature's tests list its own in their ``routes.py``: ``ROUTES``, and ``INVALID`` requests.
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
