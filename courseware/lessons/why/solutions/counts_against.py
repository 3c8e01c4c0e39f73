counts_against = {
    "for many addresses of the kind that the call takes there is no answer": "calls that exist as well",
    "a piece of memory may have several addresses": "no call",
    "an address may be given out again, to other memory": "calls that exist as well",
    "for pinned memory the call returns, on this machine, the number that was put in": "calls that exist as well",
    "the program that made the base pointer knew the answer already": "calls that exist as well",
    "a program that asks can seldom tell whether there is an answer": "calls that exist as well",
}
