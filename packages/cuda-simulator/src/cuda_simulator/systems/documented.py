"""The systems: `h200`, recorded, and those that documents describe. Each rule names the document that says so.

"cuda.h" is that of CUDA 13.0 unless another version is named.
"""
from . import Rule, System

UNIFIED_ADDRESSING, MANAGED_MEMORY, PAGEABLE_ACCESS, CONCURRENT_ACCESS, REGISTERED_ACCESS = 41, 83, 88, 89, 91    # CUdevice_attribute

H200 = System("h200", "What the recorded H200 answers; the default.", recorded=True)

PAGEABLE = System(
    "pageable-access",
    "Kernels follow any address of the host: PAGEABLE_MEMORY_ACCESS is 1, as heterogeneous memory management (HMM) makes it under Linux.",
    attributes={PAGEABLE_ACCESS: 1},
    pageable_access=True,
    rules=(
        Rule("Which systems are such?", "NVIDIA's open kernel modules, Linux 6.1.24, 6.2.11 or 6.3 and newer, compute capability 7.5 "
             "or higher, driver 535 or newer", "CUDA Programming Guide 13, 4.1.1, \"Unified Memory\""),
        Rule("May a kernel use memory that was not registered?", "yes, at the host's address",
             "cuda.h, `CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`"),
        Rule("Memory of which kind?", "all that the system allocates: `malloc`, `mmap`, the stack, global variables",
             "CUDA Programming Guide 13, 4.1.1"),
        Rule("With which rights?", "those of the host's page tables; an address without an entry stops the kernel",
             "Linux kernel documentation, \"Heterogeneous Memory Management\""),
        Rule("Do kernels use the host's own page tables?", "no: PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES is 0",
             "CUDA Programming Guide 13, 4.1.1 (software coherence)"),
        Rule("What do forward and the single attribute calls answer for such memory?", "INVALID_VALUE, as before: nobody registered it",
             "cuda.h, `cuPointerGetAttribute`"),
        Rule("What does the plural call answer for its device pointer?", "NOT_SUPPORTED here: the documents differ",
             "cuda.h, `cuPointerGetAttributes` (null); CUDA Runtime API, `cudaPointerAttributes` (what the device may access)"),
        Rule("Advice and prefetches for such memory?", "NOT_SUPPORTED here: allowed by the document, and not simulated",
             "cuda.h, `cuMemAdvise`, `cuMemPrefetchAsync`"),
        Rule("What if the array dies or moves while a kernel uses it?", "the kernel writes into memory that is somebody else's by then; "
             "the simulated driver tells it as a finding", "NVIDIA/warp issue 1766"),
    ))

SYSTEMS = (H200, PAGEABLE)
