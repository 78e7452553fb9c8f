"""The route of the page."""

from tests.http.fixtures import open_reads

ROUTES = open_reads("/")
INVALID = ()
