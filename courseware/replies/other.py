"""The key of the reply to a number that has no reply of its own."""

OTHER = "any other number"
