"""The side trip "Six blocks for one array": what it asks and checks."""
