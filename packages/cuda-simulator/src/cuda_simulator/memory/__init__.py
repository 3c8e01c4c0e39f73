"""Address spaces: which kind of memory an address belongs to, where its bytes are, and who may use them there."""
