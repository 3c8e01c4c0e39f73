"""The lesson "Inside the kernel": what it asks and checks."""
