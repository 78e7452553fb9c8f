"""The application: routes, responses and error numbers."""
