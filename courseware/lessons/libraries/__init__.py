"""The side trip "Three libraries": what it asks and checks."""
