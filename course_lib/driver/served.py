"""Which drivers and GPUs CUDA's packages serve. An environment has those of CUDA 12 or those of
CUDA 13.

A driver runs what was built for its own major version of CUDA, by any release of it, and for older
ones (NVIDIA, "CUDA Compatibility", section "Minor Version Compatibility", table 1: CUDA 12.x from
driver 525 on, CUDA 13.x from 580 on). Two things narrow that:

- A driver refuses PTX that is newer than itself (CUDA Driver API,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION). So NVRTC compiles for the device's own architecture, to a
  cubin ("CUDA C++ Best Practices Guide", section "Dynamic Code Generation"), and Numba's compiler,
  which writes PTX, is as old as the oldest driver that is served.
- NVRTC compiles for some GPUs (nvrtcGetSupportedArchs: that of CUDA 12.9 from compute capability
  5.0 on, that of 13.0 from 7.5 on), while driver 580 runs older ones too.

The set-up reads this file on its own (tools/which_cuda.py), so it imports nothing of the course.
Not here: how a driver is asked (probe.py).
"""
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Packages:
    """One set of CUDA's packages."""

    cuda: tuple[int, int]               # the release that the course installs
    oldest_driver: tuple[int, int]      # by the version of CUDA that cuDriverGetVersion says
    branch: int                         # of NVIDIA's drivers, in which that driver is
    oldest_gpu: tuple[int, int]         # by its compute capability


# Newest first. Driver 525 and 530 are of CUDA 12 too, but have no cuMemPrefetchAsync_v2
# (managed.prefetch); 535 runs on the same GPUs.
PACKAGES = {13: Packages((13, 0), (13, 0), 580, (7, 5)),
            12: Packages((12, 9), (12, 2), 535, (5, 0))}


def refusal(major: int, cuda_version: Sequence[int], compute_capability: Sequence[int]) -> str:
    """Why the packages of CUDA `major` cannot serve a driver of CUDA `cuda_version` with a device
    of `compute_capability` (both are pairs of numbers); "" where they can."""
    packages = PACKAGES[major]
    if tuple(cuda_version) < packages.oldest_driver:
        return (f"the driver is for CUDA {dotted(cuda_version)}, and CUDA {dotted(packages.cuda)}'s packages need driver "
                f"{packages.branch} or newer")
    if tuple(compute_capability) < packages.oldest_gpu:
        return (f"the GPU has compute capability {dotted(compute_capability)}, and CUDA {dotted(packages.cuda)} compiles for "
                f"{dotted(packages.oldest_gpu)} or higher")
    return ""


def best(cuda_version: Sequence[int], compute_capability: Sequence[int]) -> int | None:
    """The newest major version of CUDA whose packages serve this driver and device; None where none
    does."""
    return next((major for major in PACKAGES if not refusal(major, cuda_version, compute_capability)), None)


def dotted(version: Sequence[int]) -> str:
    """``dotted((13, 0)) -> "13.0"``."""
    return ".".join(map(str, version))
