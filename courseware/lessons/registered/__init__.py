"""The lesson "Registered memory": what it asks and checks."""
