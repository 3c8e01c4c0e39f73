"""What questions and sequences share: words, kinds of memory, kernels, a second process."""
