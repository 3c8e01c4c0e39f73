"""The lesson "Several devices": what it asks."""
