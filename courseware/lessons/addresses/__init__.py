"""The lesson "Addresses from Python": what it asks and checks."""
