"""The lesson "Virtual reservations": what it asks and checks."""
