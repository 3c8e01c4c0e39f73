"""Threads, and children that are forked on purpose after cuInit.

Not here: other processes that may use CUDA (processes.py).
"""
import json
import os
import signal
import threading


def in_fork(work, leave=os._exit):
    """The exit status of a child that is forked although CUDA is in use; `work` makes no calls of CUDA."""
    pid = os.fork()
    if not pid:
        signal.alarm(10)    # to hang is an answer too
        work()
        leave(0)
    return os.waitpid(pid, 0)[1]


def in_child(work):
    """What work() gives in a forked child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        signal.alarm(5)    # a call that hangs is an answer too
        try:
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    sent = b""
    while piece := os.read(reading, 65536):
        sent += piece
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    return json.loads(sent) if sent else f"status {status}"


def in_thread(work):
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0] if results else "no answer"
