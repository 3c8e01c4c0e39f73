"""What the helpers share: errors, ownership, the number behind a thing, a journal of what was made, tables and sizes."""
