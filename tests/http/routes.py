"""All routes of the core and of features, for tests of rules that apply to every route.

A feature's tests list its routes in their ``routes.py``: ``ROUTES``, and ``INVALID`` requests.
"""

from tests.feature_cases import feature_cases
from tests.http.fixtures import HEALTH, ME, OPERATIONS

ROUTES = (
    *OPERATIONS,
    *ME,
    *HEALTH,
    *(it for routes in feature_cases("routes", "ROUTES") for it in routes),
)
INVALID_OF_FEATURES = [row for rows in feature_cases("routes", "INVALID") for row in rows]
