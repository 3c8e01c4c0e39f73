"""What tests of every folder share."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A test that has to wait for a processor is no failure.
settings.register_profile("patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def in_new_process(tmp_path):
    """Run Python code in a process of its own: ``in_new_process(code, CUDA_SIMULATOR_DEVICES="2")``.

    Keyword arguments are environment variables, None for one to leave out. The result has .stdout, .stderr and
    .returncode.
    """
    # What this process has of PYTHONPATH stays: PyCUDA may come from there.
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(code, *arguments, **environment):
        variables = {**os.environ, "PYTHONPATH": path, **environment}
        return subprocess.run([sys.executable, *(["-c", code] if code else []), *arguments], cwd=tmp_path, timeout=600,
                              env={name: value for name, value in variables.items() if value is not None},
                              capture_output=True, text=True)
    return run
