"""The systems: `h200`, recorded, and those that documents describe. Each rule names the document that says so.

"cuda.h" is that of CUDA 13.0 unless another version is named.
"""
from .system import Rule, System

UNIFIED_ADDRESSING, MANAGED_MEMORY, PAGEABLE_ACCESS, CONCURRENT_ACCESS, REGISTERED_ACCESS = 41, 83, 88, 89, 91    # CUdevice_attribute
# What tells which system a machine is like: the attribute's name -> its number.
TELLING = {"UNIFIED_ADDRESSING": UNIFIED_ADDRESSING, "PAGEABLE_MEMORY_ACCESS": PAGEABLE_ACCESS,
           "CONCURRENT_MANAGED_ACCESS": CONCURRENT_ACCESS, "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM": REGISTERED_ACCESS}

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
             "cuda.h of CUDA 12.9, `cuMemAdvise`, `cuMemPrefetchAsync`; from 13.0 only `cuMemPrefetchBatchAsync`, else managed memory"),
        Rule("What if the array dies or moves while a kernel uses it?", "the kernel writes into memory that is somebody else's by then; "
             "the simulated driver tells it as a finding, of an array that lives at the launch and whose start is a parameter",
             "NVIDIA/warp issue 1766"),
    ))

DISJOINT = "cuda.h, \"Unified Addressing\", \"Exceptions, Disjoint Addressing\""
EXCLUSIVE = "CUDA C++ Programming Guide 11.2, L.2.2.1, \"GPU Exclusive Access To Managed Memory\""

DIFFERS = System(
    "registered-differs",
    "Registered and write-combined memory has a number for the host and another for the device, and managed memory is one side's at a "
    "time: CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM and CONCURRENT_MANAGED_ACCESS are 0, as users report from WSL 2.",
    attributes={REGISTERED_ACCESS: 0, CONCURRENT_ACCESS: 0},
    registered_at_host_address=False, concurrent_managed_access=False,
    rules=(
        Rule("Which systems are such?", "WSL 2 (RTX 3060, driver 596.49): both attributes 0, UNIFIED_ADDRESSING 1, "
             "PAGEABLE_MEMORY_ACCESS 0", "sgl-project/sglang issue 40232; two more machines: sgl-project/sglang pull "
             "request 35233 (RTX 5090), jpezzulli/sglang-rtxpro6000 pull request 8"),
        Rule("What does forward answer for registered memory?", "another number, the same in every context; it overlaps no host memory",
             f"cuda.h, `cuMemHostGetDevicePointer`; {DISJOINT}"),
        Rule("And for allocated memory?", "the host's number, unless it is write-combined", "cuda.h, `cuMemHostAlloc`"),
        Rule("What do HOST_POINTER and DEVICE_POINTER answer?", "the two numbers, from either of them",
             f"{DISJOINT}; `cuPointerGetAttribute`"),
        Rule("A kernel at the host's number? The host at the device's?", "an exception on either side", "cuda.h, `cuPointerGetAttribute`"),
        Rule("Which number does a copy take?", "`cuMemcpy` either; a copy with a direction that of its side", DISJOINT),
        Rule("What does forward answer for the device's number? The same of flags, unregister, a copy from the host's side",
             "NOT_SUPPORTED here: no document says", "-"),
        Rule("May the host touch managed memory while a kernel runs?", "no, whether the kernel uses it or not: a segmentation fault, "
             "from the launch until the host has waited", EXCLUSIVE),
        Rule("Is to destroy the stream enough?", "no, only to wait", "NVIDIA/cuda-python issue 1539"),
        Rule("Memory attached to the host, or to a single stream?", "open to the host; open while that stream has nothing to do",
             "cuda.h, `cuMemAllocManaged`, `cuStreamAttachMemAsync`"),
        Rule("What does a kernel find in memory that is attached elsewhere?", "it is stopped here: the results are undefined",
             "cuda.h, `cuStreamAttachMemAsync`"),
        Rule("May managed memory exceed the device's?", "no", "cuda.h, `cuMemAllocManaged`; NVIDIA/cudf issue 16551"),
        Rule("Is it prefetched to the device, or advised to be there?", "no: INVALID_DEVICE",
             "cuda.h, `cuMemPrefetchAsync`, `cuMemAdvise`; rapidsai/rmm issue 2023, owl-project/owl issue 43"),
    ))

MANUAL = "NVIDIA's reference manual of 2011, `cuMemHostAlloc` (www.cs.cmu.edu/afs/cs/academic/class/15668-s11/www/cuda-doc)"
TYPEDEFS = "cudaTypedefs.h"
GUIDE = "CUDA C Programming Guide 3.2"

# What came after CUDA 3.2 and is about memory, by the release that cudaTypedefs.h names.
LATER = {
    "4.0": "cuPointerGetAttribute cuMemcpy cuMemcpyAsync cuMemcpyPeer cuMemcpyPeerAsync cuMemcpy3DPeer cuMemcpy3DPeerAsync "
           "cuMemHostRegister cuMemHostUnregister cuCtxEnablePeerAccess cuCtxDisablePeerAccess cuDeviceCanAccessPeer",
    "4.1": "cuIpcGetMemHandle cuIpcOpenMemHandle cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcOpenEventHandle",
    "6.0": "cuMemAllocManaged cuStreamAttachMemAsync cuPointerSetAttribute",
    "7.0": "cuPointerGetAttributes",
    "8.0": "cuMemAdvise cuMemPrefetchAsync cuMemRangeGetAttribute cuMemRangeGetAttributes cuDeviceGetP2PAttribute cuStreamBatchMemOp "
           "cuStreamWaitValue32 cuStreamWriteValue32",
    "9.0": "cuStreamWaitValue64 cuStreamWriteValue64",
    "10.2": "cuMemAddressFree cuMemAddressReserve cuMemCreate cuMemExportToShareableHandle cuMemGetAccess cuMemGetAllocationGranularity "
            "cuMemGetAllocationPropertiesFromHandle cuMemImportFromShareableHandle cuMemMap cuMemRelease cuMemSetAccess cuMemUnmap",
    "11.0": "cuMemRetainAllocationHandle",
    "11.2": "cuDeviceGetDefaultMemPool cuDeviceGetMemPool cuDeviceSetMemPool cuMemAllocAsync cuMemAllocFromPoolAsync cuMemFreeAsync "
            "cuMemPoolCreate cuMemPoolDestroy cuMemPoolExportPointer cuMemPoolExportToShareableHandle cuMemPoolGetAccess "
            "cuMemPoolGetAttribute cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPoolSetAccess cuMemPoolSetAttribute "
            "cuMemPoolTrimTo",
    "11.7": "cuMemGetHandleForAddressRange",
    "12.0": "cuLibraryGetGlobal cuLibraryGetManaged cuLibraryGetUnifiedFunction",
    "12.8": "cuMemcpyBatchAsync",
    "13.0": "cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync cuMemGetDefaultMemPool cuMemGetMemPool cuMemPrefetchBatchAsync "
            "cuMemSetMemPool",
}
OF_UNIFIED_ADDRESSING = (CONCURRENT_ACCESS, REGISTERED_ACCESS, UNIFIED_ADDRESSING, MANAGED_MEMORY, 99, 102, 103, 113, 115, 116, 119, 122,
                         124, 125, 128, 141, 142, 144, 145)     # CUdevice_attribute: registering, VMM, pools, what shares memory

NOT_UNIFIED = System(
    "no-unified-addressing",
    "Host and devices share no addresses, and each context has device addresses of its own, as before CUDA 4.0: documents of "
    "CUDA 3.2 and of 2011 still describe it. Where a context begins to count is yours to say: "
    "`cuda_simulator.contexts_begin(0x100000, 0x900000)`, or CUDA_SIMULATOR_CONTEXTS_BEGIN.",
    attributes=dict.fromkeys(OF_UNIFIED_ADDRESSING, 0), unified_addressing=False,
    refused={name: f"it came with CUDA {release}, and these documents are older than CUDA 4.0" for release, names in LATER.items()
             for name in names.split()},
    rules=(
        Rule("What are a context's device addresses?", "its own: the same number stands for other memory in another context",
             f"{GUIDE}, \"Driver API\", \"Context\""),
        Rule("Do two contexts use the same numbers?", "no document says: the learner sets where each begins", "-"),
        Rule("How many addresses has mapped memory?", "two, one for the host and one for the device", f"{GUIDE}, \"Mapped Memory\""),
        Rule("What does mapped memory want?", "DEVICEMAP of the allocation and MAP_HOST of the context, else forward refuses",
             f"{MANUAL}; from CUDA 3.2 on all contexts have MAP_HOST (cuda.h, `CU_CTX_MAP_HOST`)"),
        Rule("And in another context?", "the allocation's PORTABLE; forward gives a number of that context", MANUAL),
        Rule("Why does the allocation succeed where forward refuses?", "another context may map it", MANUAL),
        Rule("A kernel, or a copy from the device's side, at the host's address?",
             "refused here: it is none of the context's, as the memory has two", f"{GUIDE}, \"Mapped Memory\""),
        Rule("How many bits has a device pointer?", "32 in the calls of CUDA 2.2; here 64, so that programs of today run",
             f"cuda.h, `CUdeviceptr_v1`; {TYPEDEFS} of CUDA 13.0, `cuMemHostGetDevicePointer_v2020`"),
        Rule("Pointer attributes, unified copies, registering, peers?", "NOT_SUPPORTED: of CUDA 4.0", TYPEDEFS),
        Rule("Managed memory, virtual memory management, pools?", "NOT_SUPPORTED: of CUDA 6.0, 10.2 and 11.2", TYPEDEFS),
        Rule("Forward of an address inside an allocation?", "NOT_SUPPORTED here: the manual speaks of the pointer that was given", "-"),
        Rule("A kernel that misses its allocation by a little?", "it is stopped: no document says that it is overlooked", "-"),
        Rule("The other calls, and how kernels are compiled?", "as on the H200, so that programs of today run", "-"),
    ))

SYSTEMS = (H200, DIFFERS, NOT_UNIFIED, PAGEABLE)
