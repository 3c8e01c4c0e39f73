counts_against = {
    "for many addresses of the kind that the call takes there is no answer": "?",
    "a piece of memory may have several addresses": "?",
    "an address may be given out again, to other memory": "?",
    "for pinned memory the call returns, on this machine, the number that was put in": "?",
    "the program that made the base pointer knew the answer already": "?",
    "a program that asks can seldom tell whether there is an answer": "?",
}
