"""All routes of the core and of features, for tests of rules that apply to every route.

A feature's tests list its routes in their ``routes.py``: ``ROUTES``, and ``INVALID`` requests.
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
