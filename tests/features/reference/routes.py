"""The routes of the documents."""

from tests.http.fixtures import open_reads

DOCUMENTS = open_reads("/openapi.json", "/openapi.yaml")
ROUTES = (*DOCUMENTS, *open_reads("/docs"))
INVALID = ()
