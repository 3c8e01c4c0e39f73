counts_against = {
    "today the driver does not know the answer, not even for pinned memory": "?",
    "on this machine, the call returns a pinned address unchanged": "?",
    "since CUDA 4.0 an attribute gives the same answer": "?",
    "a program that keeps a record of what it allocates can look the answer up itself": "?",
    "a program that asks can seldom tell whether there is an answer": "?",
}
