"""What each thread of a small kernel does, line by line of the source: which memory it reads and writes, and what.

    follower.py     watches one launch: it is an observer (ptx/observe.py), and makes a record
    records.py      what a record is made of
    thread.py       the steps of a thread: lines, and accesses to memory
    naming.py       what an address is called in the source: x[2], p.y
    variables.py    which parameters and variables of the module there are, and their types, by the compiler's debug information
    entries.py      reads that information

Not here: finding mistakes (examination/), and how a record is shown.
"""
