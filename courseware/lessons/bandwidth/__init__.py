"""The lesson "Bandwidth": what it asks and checks."""
