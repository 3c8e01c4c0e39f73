"""The driver of this process, in the words that the learner is told and the record keeps."""
from course_lib import driver


def which_driver():
    """Such as "simulated driver (NVIDIA H200)" or "real driver (NVIDIA H100 80GB HBM3)"."""
    name = driver.attached.device.removesuffix(" (simulated)")
    return f"{driver.attached.kind} driver ({name})"
