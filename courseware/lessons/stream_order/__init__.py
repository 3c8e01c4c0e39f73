"""The lesson "Memory in stream order": what it asks and checks."""
