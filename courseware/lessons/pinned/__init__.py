"""The lesson "Pinned memory": what it asks and checks."""
