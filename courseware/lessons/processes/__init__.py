"""The lesson "Several processes": what it asks and checks."""
