"""The lessons' numbers and titles. Not here: their exercises (lesson00.py and so on)."""

TITLES = {
    "00": "Two views of one memory",
    "01": "Addresses from Python",
    "02": "Pinned memory",
    "03": "Mapped memory",
    "04": "Memory that kernels allocate",
    "05": "Virtual reservations",
    "06": "Why the inverse is a query",
    "07": "Memory that moves",
    "08": "One memory, several processes, several devices",
    "09": "Inside the kernel",
    "10": "A vector that grows",
}
