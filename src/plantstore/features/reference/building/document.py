"""The OpenAPI document for the reference page: JSON with most references resolved.

Invariant: the only remaining ``$ref`` point to ``components/schemas``, and become links.
"""

from typing import Any

SCHEMAS = "#/components/schemas/"
_METHODS = ("post", "get", "put", "patch", "delete", "options", "head", "trace", "query")

Json = Any  # any JSON value


def resolve(root: Json) -> Json:
    """The document with its references resolved."""

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
    """The operations of a resolved document, each with its ``method`` and ``path``."""
    operations: list[Json] = []
    for path, item in document.get(section, {}).items():
        for method in filter(item.__contains__, _METHODS):
            own = item[method]
            parameters = item.get("parameters", []) + own.get("parameters", [])
            operations.append({**own, "method": method, "path": path, "parameters": parameters})
    return operations
