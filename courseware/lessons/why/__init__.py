"""The lesson "Why only one direction is a function": what it asks and checks."""
