"""The side trip "How far is it?": what it asks and checks."""
