"""Replies to the predictions of lesson 06."""

REPLIES = {
    "06-managed": {
        "both": "You went by who can use the memory, as with pinned memory. Both sides can, and yet the forward call refuses it: it is "
                "documented for pinned memory alone.",
        "only forward": "You took managed memory for memory that only the device has, as virtual memory on the device is. The host "
                        "uses the same address, and back gives it.",
        "neither": "You took it for device memory, which `cuMemFree` frees too. But the host has an address of it, and back gives "
                   "that.",
    },
    "06-inside": {
        "pinned, registered and mapped on host": "You took what holds of the first byte for every byte. Look at the column of the "
                                                 "forward call for memory that is mapped on the host.",
        "only pinned": "You expected registered memory to be known as a whole. The driver knows each of its bytes, and forward leads "
                       "to that byte (lesson 02b).",
        "none of them": "You expected forward to answer with the start of the memory. For pinned memory it leads to the byte itself, as "
                        "in lesson 03.",
    },
    "06-plural": {
        "an error": "You expected the plural call to refuse what the singular call refuses. It succeeds, and puts something in the "
                    "place of each attribute that has no answer.",
        "the same address": "You took lesson 04's trap for a rule. There the driver did not know the address. This memory it knows: "
                            "look at the memory type.",
    },
    "06-freed": {
        "address and buffer id": "You expected new memory to have a new address. A freed address is given out again, here to "
                                 "the next allocation of the same size.",
        "only the address": "You took the buffer id for a mark of the place. It belongs to the allocation, and is never used "
                            "again. The address is.",
        "neither": "You took one address for one allocation. The address is the same, and the buffer id shows that the memory "
                   "is another.",
    },
}
