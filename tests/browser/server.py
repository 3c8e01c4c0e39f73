"""A JupyterLab of the tests' own: its own port, token and folders, so that neither the user's settings nor the
checkout takes part. Not here: the browser that looks at it (lab_page.py).
"""
import importlib.metadata
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bootstrap

# JupyterLab draws some cells only when they are scrolled to, and the tests look at the whole of a lesson.
TRACKER = {"windowingMode": "none", "autoStartDefaultKernel": True}


class Server:
    """JupyterLab over a copy of the notebooks in `folder`, which is a temporary one. `stop` ends it."""

    def __init__(self, folder, notebooks):
        self.notebooks = folder / "notebooks"
        shutil.copytree(notebooks, self.notebooks, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        self.token = secrets.token_hex(16)
        # Kernels' sockets are in this folder, so its path has to be short: ports are chosen before they are bound, and of kernels that two
        # servers start at the same time one would take another's.
        self._runtime = Path(tempfile.mkdtemp(prefix="jupyter-"))
        self.log = folder / "jupyterlab.log"
        tracker = folder / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
        tracker.parent.mkdir(parents=True)
        tracker.write_text(json.dumps(TRACKER))
        bootstrap.settle_jupyterlab(folder)     # as `make lab` has it
        looks = ["--LabApp.custom_css=True"]
        if importlib.metadata.version("jupyterlab") < "4":
            # Options that it does not know: one ends its file browser, for the other it forgets all the rest of the line.
            overrides = folder / "config" / "labconfig" / "default_setting_overrides.json"
            known = json.loads(overrides.read_text())
            known.pop("@jupyterlab/filebrowser-extension:browser")
            overrides.write_text(json.dumps(known))
            looks = []
        folders = {"HOME": "home", "JUPYTER_RUNTIME_DIR": self._runtime, "JUPYTERLAB_SETTINGS_DIR": "settings",
                   "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "XDG_CACHE_HOME": "cache"}
        # A learner keeps a record, which other checks turn off.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("PYTEST_") and name != "COURSE_PROGRESS"}
        # --expose-app-in-browser: the page's own commands (run all cells, change the theme) can be called by a script.
        # --allow-root: CI machines may have no other user. Of the ports it takes the first that is free, from one of this worker's on.
        port = 18888 + 200 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--expose-app-in-browser", "--allow-root", *looks,
             f"--ServerApp.token={self.token}", f"--ServerApp.port={port}", "--ServerApp.port_retries=199", "--KernelManager.transport=ipc"],
            cwd=self.notebooks, stdout=self.log.open("w"), stderr=subprocess.STDOUT,
            env={**environment, **bootstrap.jupyters_folders(folder), **{name: str(folder / part) for name, part in folders.items()}})
        self.address = self._wait_for_address(seconds=90)

    def _wait_for_address(self, seconds):
        """The address that the server has written down once it listens."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._process.poll() is None:
            for file in self._runtime.glob("jpserver-*.json"):
                if text := file.read_text():
                    return json.loads(text)["url"].replace("localhost", "127.0.0.1")
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"JupyterLab did not start. Its last words:\n{self.log.read_text()[-2000:]}")

    def url(self, notebook):
        """Where a notebook, given by its file's name, is opened, and nothing else of what was open before (reset)."""
        return f"{self.address}lab/tree/{notebook}?reset&token={self.token}"

    def stop(self):
        """End the server, and with it the kernels."""
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._runtime, ignore_errors=True)
