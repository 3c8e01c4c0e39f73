"""Exercises of "Why only one direction is a function": which argument hits which direction, and which are judgements."""

from ...exercises.exercise import Exercise, slip

OPTIONS = "both", "forward only", "back only"
KNOWLEDGE = "who wants the answer seldom knows whether there is one"
CONTEXTS = "two contexts without unified addressing used one number for different memory"
which_direction = Exercise(
    id="which-direction", title="Which argument hits which direction?", name="hits", kind="table", minutes=6,
    options=OPTIONS,
    statement="""
Each sentence is an objection. Does it hit the forward call, the way back, or both? Put one of `"both"`,
`"forward only"` and `"back only"` behind each. What hits both cannot be the whole reason to treat the two differently. The cells
above tried five of them. The other two are judgements: there any answer counts, and gets a reply.
""",
    hints=("For each sentence, say it twice: once of `cudaHostGetDevicePointer`, once of `HOST_POINTER`. Is it true "
           "both times?",
           "Four are true of both. One follows from what the allocators return, and is true of one. Two you judge."),
    judged={
        KNOWLEDGE: {
            "both": "So it is for libraries: NVIDIA's RAFT asks for the device pointer of whatever a caller hands in.",
            "back only": "So it is for most programs: who calls forward has pinned the memory. Libraries are handed pointers of "
                         "both kinds.",
            "forward only": "A device pointer may come from anywhere, too: from cudaMalloc, from a library, from a kernel."},
        CONTEXTS: {
            "both": "Forward answered for the current context as well. But its question, a host address, meant one memory in all "
                    "of them.",
            "back only": "Compared with forward, so it is. Copying and freeing took a bare number in the current context, too, "
                         "and existed.",
            "forward only": "Forward starts from a host address, which means one memory in its process. Its answer depended on the "
                            "context."}},
    mistakes=(
        slip('no answer": "both"', 'no answer": "back only"',
             "Forward is partial too: look at what it refuses of the eleven."),
        slip('no answer": "both"', 'no answer": "forward only"',
             "The way back has no answer for device memory, and none for what the driver does not know."),
        slip('several addresses": "both"', 'several addresses": "forward only"',
             "The host had two addresses for the page as well: each was its own way, forward and back."),
        slip('other memory": "both"', 'other memory": "forward only"',
             "Device addresses are given out again as well, and then the way back answers for the new memory."),
        slip('was put in": "both"', 'was put in": "forward only"',
             "Back gives the number that was put in, too: the two views have equal addresses here."),
        slip('already": "back only"', 'already": "forward only"',
             "A program that pinned memory holds its host pointer. Which of the two calls would give it that?"),
        slip('several addresses": "both"', 'several addresses": "back only"',
             "The page had two device addresses as well. Each address led to its own partner, both ways."),
        slip('other memory": "both"', 'other memory": "back only"',
             "Look at the cell above: after the address was given out again, forward answered for the new memory, as "
             "back did."),
        slip('was put in": "both"', 'was put in": "back only"',
             "Forward gives the number that was put in, too: look at the eleven addresses."),
        slip('already": "back only"', 'already": "both"',
             "Before the forward call, a program has the host pointer and not the device's. Which of the two answers "
             "does it hold already?"),
    ))

EXERCISES = (which_direction,)
