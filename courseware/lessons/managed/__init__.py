"""The lesson "Memory that moves": what it asks and checks."""
