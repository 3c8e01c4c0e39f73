"""The side trip "When the heap is full": what it asks and checks."""
