"""The lesson "A vector that grows": what it asks and checks."""
