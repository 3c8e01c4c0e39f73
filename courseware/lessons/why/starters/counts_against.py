counts_against = {
    "today the driver does not know the answer, not even for pinned memory": "?",
    "for pinned memory the call returns, on this machine, the number that was put in": "?",
    "since CUDA 4.0 an attribute gives the same answer": "?",
    "a program that notes what it allocates can look the answer up itself": "?",
    "a program that asks can seldom tell whether there is an answer": "?",
}
