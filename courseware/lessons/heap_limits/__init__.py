"""The side trip "Names and limits of the heap": what it asks and checks."""
