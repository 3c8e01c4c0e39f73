"""The lesson "Who comes first?": what it asks and checks."""
