from cuda.bindings import runtime

def two_answers(address):
    ...         # about four lines
