"""The OpenAPI document as the reference reads it: its JSON, without most references.

Invariant: the only ``$ref`` left are those to ``components/schemas``, which the page links to.
"""

from typing import Any

SCHEMAS = "#/components/schemas/"
_METHODS = ("post", "get", "put", "patch", "delete", "options", "head", "trace", "query")

Json = Any  # what a JSON text holds


def resolve(root: Json) -> Json:
    """The document, with references replaced by what they refer to."""

    def put_in(node: Json) -> Json:
        if isinstance(node, list):
            return [put_in(child) for child in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref", SCHEMAS)
        if reference.startswith(SCHEMAS):
            return {key: put_in(child) for key, child in node.items()}
        target = root
        for name in reference.removeprefix("#/").split("/"):
            target = target[name]
        return put_in(target)

    return put_in(root)


def list_operations(document: Json, section: str = "paths") -> list[Json]:
    """The operations of a resolved document, each with its ``method`` and its ``path``."""
    operations: list[Json] = []
    for path, item in document.get(section, {}).items():
        of_path = item.get("parameters", [])
        by_method = {
            method: item[method]
            | {"method": method, "path": path}
            | {"parameters": [*of_path, *item[method].get("parameters", [])]}
            for method in _METHODS
            if method in item
        }
        operations += by_method.values()
    return operations
