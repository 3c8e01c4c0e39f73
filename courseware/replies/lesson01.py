"""Replies to the predictions of lesson 01, in the order of the notebooks."""
from .other import OTHER

REPLIES = {
    "01-slice": {
        "0": "You took a slice to have the address of its array. An address leads to one byte, and the slice begins at "
             "another one.",
        "2": "You counted numbers. An address counts bytes, and each of the two numbers that the slice skips has several.",
        "16": "You skipped two numbers of 8 bytes. The array is of `np.int32`: how many bytes has one of its numbers?",
        OTHER: "Count the numbers before the slice. An address counts bytes: ask `array.itemsize` how many one number has.",
    },
    "01-windows": {
        "70 and 70": "You took the stored number to lead to one place, whoever follows it. For device memory it does. Each "
                     "block has a `mine` of its own, and the blocks are given the same number for it.",
        "block 1 causes an error": "You took the number for block 0's alone, and block 1 for a stranger there. But block 1 "
                                   "has shared memory at that number too: its own.",
    },
    "01-stranger": {
        "an error": "You expected somebody to check the address. The driver checks when it copies, but no one looks up "
                    "what a kernel's address belonged to: a kernel is stopped only where no access is granted at all.",
        "the old values": "You took freed memory to be left alone. That holds until somebody asks for as much: the second "
                          "array was given the same address and wrote its own numbers there.",
    },
    "01-host-reads": {
        "it gets a number": "You took a valid address to be valid for everybody. It is valid in the GPU's tables, and the "
                            "host reads through the CPU's.",
        "Python raises an exception": "You relied on Python to notice. `ctypes` follows the address as C does, and the "
                                      "operating system ends the process before Python could raise anything.",
    },
    "01-numba": {
        "neither: it takes arrays of Numba's": "You expected each library to accept its own arrays alone. Numba asks an object for "
                                               "its CUDA array interface, and does not mind whose object it is.",
        "the array of PyCUDA": "You expected NumPy's array to be out of the kernel's reach, and here it is. So Numba copies it to the "
                               "device, and after the kernel copies it back.",
    },
    "01-own-context": {
        "yes": "You took any current context to do. PyCUDA's own is as good as another to the driver, but Numba keeps its "
               "records for primary contexts, and looks at what it is given.",
    },
    "01-view": {
        "yes": "You took `view` for a bare address, as in lesson 01. It was made from an object, and it can hold on to "
               "that.",
    },
    "01-owner-frees": {
        "its own numbers: the view keeps the memory": "You took the view to own the memory. It keeps PyCUDA's object, so that the "
                                                      "memory is not freed with it. Here the owner frees it while the object lives.",
        "nothing: the driver refuses": "You expected the driver to know the view. It knows addresses: as long as the memory was free "
                                       "it did refuse, but then the address was given to another array.",
    },
    "01-int-ptr": {
        "yes": "You took every integer with `ptr` in its name for an address. This one stands for the buffer in calls of "
               "the OpenCL library; a kernel is given another number.",
    },
    "01-svm": {
        "no": "You expected a number for each side, as for a buffer. SVM is the kind of OpenCL memory for which one "
              "address is promised to both.",
    },
}
