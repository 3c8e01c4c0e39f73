"""Exercises of "Why only one direction is a function": which argument hits which direction."""
from ...exercises.exercise import Exercise, slip

OPTIONS = "both", "forward only", "back only"
which_direction = Exercise(
    id="which-direction", title="Which argument hits which direction?", name="hits", kind="table", minutes=6,
    options=OPTIONS,
    statement="""
Each sentence is an objection. Does it hit the forward call, the way back, or both? Put one of `"both"`,
`"forward only"` and `"back only"` behind each. Only what hits one direction alone can be a reason to treat the two
differently. Four of the seven you have seen in an experiment, one in a model, and two are about who calls.
""",
    hints=("For each sentence, say it twice: once of `cudaHostGetDevicePointer`, once of `HOST_POINTER`. Is it true "
           "both times?",
           "Four are true of both. The other three speak of who calls, of what a program has already, and of two "
           "contexts."),
    mistakes=(
        slip('no answer": "both"', 'no answer": "back only"',
             "Forward is partial too: lesson 05 asked it seven questions, and it answered one."),
        slip('no answer": "both"', 'no answer": "forward only"',
             "The way back has no answer for device memory, and none for what the driver does not know."),
        slip('several addresses": "both"', 'several addresses": "forward only"',
             "The host had two addresses for the page as well: each was its own way, forward and back."),
        slip('other memory": "both"', 'other memory": "forward only"',
             "Device addresses are given out again as well, and then the way back answers for the new memory."),
        slip('was put in": "both"', 'was put in": "forward only"',
             "Back gives the number that was put in, too: the two views have equal addresses here."),
        slip('there is one": "back only"', 'there is one": "forward only"',
             "It is the other way round: who calls forward has, as a rule, pinned the memory, and knows that there is "
             "an answer."),
        slip('would be": "back only"', 'would be": "forward only"',
             "A program that pinned memory holds its host pointer. Which of the two calls would give it that?"),
        slip('different memory": "back only"', 'different memory": "forward only"',
             "Forward starts from a host address, which is one in its process, whatever the context."),
        slip('several addresses": "both"', 'several addresses": "back only"',
             "In lesson 06 the page had two device addresses as well. Each address led to its own partner, both ways."),
        slip('other memory": "both"', 'other memory": "back only"',
             "Look at the cell above: after the address was given out again, forward answered for the new memory, as "
             "back did."),
        slip('was put in": "both"', 'was put in": "back only"',
             "Forward gives the number that was put in, too: look at the eleven addresses."),
        slip('there is one": "back only"', 'there is one": "both"',
             "A device pointer may come from anywhere: from cudaMalloc, from a library, from a kernel. And the host "
             "pointer that forward is called with?"),
        slip('would be": "back only"', 'would be": "both"',
             "Before the forward call, a program has the host pointer and not the device's. Which of the two answers "
             "does it hold already?"),
        slip('different memory": "back only"', 'different memory": "both"',
             "A host address is unique in its process, and the current context chose the device's. In the model of "
             "lesson 07, which of the two could lead to different *memory*, in two contexts?"),
    ))

EXERCISES = (which_direction,)
