"""The reference at ``/docs``: the OpenAPI document as a page, whatever the document has in it."""
