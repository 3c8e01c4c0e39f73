"""The lesson "The way back": what it asks and checks."""
