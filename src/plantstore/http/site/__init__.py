"""What is served beside the operations: pages, their files, and documents about the service."""
