"""The lesson "Two views of one memory": what it asks and checks."""
