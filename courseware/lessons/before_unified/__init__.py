"""The lesson "Before unified addressing": what it asks and checks."""
