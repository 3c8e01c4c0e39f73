"""What the helpers share: errors, ownership, the device, the number behind a thing, a journal of
what was made, tables and sizes.

Not here: any kind of memory. Each has a module of its own (`course_lib.pinned` and so on), and none
of core imports one.
"""
