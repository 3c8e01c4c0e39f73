"""Measuring: one module for each experiment, on a context of its own (bench.py), by a plan (plan.py). Not here:
drawing."""
