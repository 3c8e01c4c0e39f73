"""The simulated device: what it is (device_facts.py), contexts, streams, modules, and a kernel that runs (execution.py)."""
