"""The lesson "Your own inverse, and an exam": what it asks and checks."""
