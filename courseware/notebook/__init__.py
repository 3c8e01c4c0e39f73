"""What a notebook needs that is not about CUDA: display, controls, colours, the learner's record, missing libraries."""
