"""What the questions and the sequences share: the process that asks."""
import concurrent.futures
import multiprocessing
import os

import pytest

from . import drivers


@pytest.fixture(scope="session")
def ask():
    """``ask(function, questions)`` gives ``function(questions, attach, jobs)`` of a process that has children for the attached driver.

    A process in which CUDA was initialised, as it may have been in this one, has no children that may use it.
    """
    jobs = 1 if "PYTEST_XDIST_WORKER" in os.environ else os.cpu_count()     # the other workers ask, too
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), drivers.ready, [drivers.auto]) as process:
        yield lambda function, questions: process.submit(function, questions, drivers.auto, jobs).result()
