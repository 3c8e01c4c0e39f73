"""The lesson "Mapped memory": what it asks and checks."""
