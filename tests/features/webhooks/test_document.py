"""What the OpenAPI document says of webhooks can be generated from."""

from building.document import parse_document, read_document


def test_no_message_has_the_tag_of_an_operation() -> None:
    """Generators write a file for each tag, and that of a message would replace the operations'."""
    document = parse_document(read_document())
    operations, messages = (
        {tag for path in document[part].values() for each in path.values() for tag in each["tags"]}
        for part in ("paths", "webhooks")
    )
    assert messages
    assert operations.isdisjoint(messages)
