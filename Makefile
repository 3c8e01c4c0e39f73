# Each target is a command of tools/bootstrap.py. `make lab ARGS="--no-browser --port 8899"` hands options on;
# `make setup PYTHON=python3.12` takes another Python than python3.
PYTHON ?= python3
ARGS ?=

.PHONY: help setup lab test test-colab test-cuda12 test-newest site doctor lock clean

help:
	@$(PYTHON) tools/bootstrap.py --help

setup lab test test-colab test-cuda12 test-newest site doctor lock clean:
	@$(PYTHON) tools/bootstrap.py $@ $(ARGS)
