"""What one thread of a kernel does, line by line of the source.

    follower.py     watches one launch: it is an observer (ptx/observe.py), and makes a record
    records.py      what a record is made of
    thread.py       the steps of the thread: lines, variables, accesses to memory
    naming.py       what an address is called in the source: x[2], p.y
    variables.py    which variables there are, where they are, and their types, from the compiler's debug information
    entries.py      reads that information

Not here: finding mistakes (examination/), and how a record is shown.
"""
