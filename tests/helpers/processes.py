"""What tests ask about other processes."""
import time


def gone(process):
    """True if a process runs no more. One whose parent has not waited for it, or is gone, may stay listed as a zombie (Z)."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def ended(process, seconds=60):
    """True once it is gone; False where it still runs after so long, which is long on a busy machine, too."""
    end = time.monotonic() + seconds
    while not gone(process):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
