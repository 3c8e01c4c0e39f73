counts_against = {
    "today the driver does not know the answer, not even for pinned memory": "no call",
    "for pinned memory the call returns, on this machine, the number that was put in": "calls that exist as well",
    "since CUDA 4.0 an attribute gives the same answer": "calls that exist as well",
    "a program that notes what it allocates can look the answer up itself": "calls that exist as well",
    "a program that asks can seldom tell whether there is an answer": "calls that exist as well",
}
