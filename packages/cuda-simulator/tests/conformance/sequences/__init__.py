"""Long random sequences of driver calls: written from a seed, executed, recorded on a GPU, replayed elsewhere."""
