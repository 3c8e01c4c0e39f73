"""The lesson "Several addresses of one memory": what it asks and checks."""
