# Each target is a command of tools/bootstrap.py. `make lab ARGS="--no-browser --port 8899"` hands options on;
# `make setup PYTHON=python3.12` takes another Python than python3, and `make setup CUDA=12` the packages of CUDA 12 (or 13,
# or auto: those that serve this machine). `make test VERSIONS=colab` is the same in an environment beside .venv, with Google Colab's
# versions; cuda12 and newest are two more.
PYTHON ?= python3
ARGS ?=
# Of the command line alone: in the environment CUDA, for example, is somebody's path of a toolkit.
CHOICE = $(if $(filter command,$(origin CUDA)),--cuda=$(CUDA) )$(if $(filter command,$(origin VERSIONS)),--versions=$(VERSIONS) )

.PHONY: help setup lab tiny test test-simulator test-lessons ask site update doctor lock clean

help:
	@$(PYTHON) tools/bootstrap.py --help

setup lab tiny test test-simulator test-lessons ask site update doctor lock clean:
	@$(PYTHON) tools/bootstrap.py $(CHOICE)$@ $(ARGS)
