"""CUresult: the numbers that every driver call answers with, their names and their texts (cuda.h, CUresult).

The texts are those that cuGetErrorString of an H200's driver gives.
"""
import enum


class Result(enum.IntEnum):
    """A CUresult, named as in cuda.h without its ``CUDA_ERROR_``."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    DEINITIALIZED = 4
    PROFILER_DISABLED = 5
    PROFILER_NOT_INITIALIZED = 6
    PROFILER_ALREADY_STARTED = 7
    PROFILER_ALREADY_STOPPED = 8
    STUB_LIBRARY = 34
    CALL_REQUIRES_NEWER_DRIVER = 36
    DEVICE_UNAVAILABLE = 46
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    DEVICE_NOT_LICENSED = 102
    INVALID_IMAGE = 200
    INVALID_CONTEXT = 201
    CONTEXT_ALREADY_CURRENT = 202
    MAP_FAILED = 205
    UNMAP_FAILED = 206
    ARRAY_IS_MAPPED = 207
    ALREADY_MAPPED = 208
    NO_BINARY_FOR_GPU = 209
    ALREADY_ACQUIRED = 210
    NOT_MAPPED = 211
    NOT_MAPPED_AS_ARRAY = 212
    NOT_MAPPED_AS_POINTER = 213
    ECC_UNCORRECTABLE = 214
    UNSUPPORTED_LIMIT = 215
    CONTEXT_ALREADY_IN_USE = 216
    PEER_ACCESS_UNSUPPORTED = 217
    INVALID_PTX = 218
    INVALID_GRAPHICS_CONTEXT = 219
    NVLINK_UNCORRECTABLE = 220
    JIT_COMPILER_NOT_FOUND = 221
    UNSUPPORTED_PTX_VERSION = 222
    JIT_COMPILATION_DISABLED = 223
    UNSUPPORTED_EXEC_AFFINITY = 224
    UNSUPPORTED_DEVSIDE_SYNC = 225
    CONTAINED = 226
    INVALID_SOURCE = 300
    FILE_NOT_FOUND = 301
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302
    SHARED_OBJECT_INIT_FAILED = 303
    OPERATING_SYSTEM = 304
    INVALID_HANDLE = 400
    ILLEGAL_STATE = 401
    LOSSY_QUERY = 402
    NOT_FOUND = 500
    NOT_READY = 600
    ILLEGAL_ADDRESS = 700
    LAUNCH_OUT_OF_RESOURCES = 701
    LAUNCH_TIMEOUT = 702
    LAUNCH_INCOMPATIBLE_TEXTURING = 703
    PEER_ACCESS_ALREADY_ENABLED = 704
    PEER_ACCESS_NOT_ENABLED = 705
    PRIMARY_CONTEXT_ACTIVE = 708
    CONTEXT_IS_DESTROYED = 709
    ASSERT = 710
    TOO_MANY_PEERS = 711
    HOST_MEMORY_ALREADY_REGISTERED = 712
    HOST_MEMORY_NOT_REGISTERED = 713
    HARDWARE_STACK_ERROR = 714
    ILLEGAL_INSTRUCTION = 715
    MISALIGNED_ADDRESS = 716
    INVALID_ADDRESS_SPACE = 717
    INVALID_PC = 718
    LAUNCH_FAILED = 719
    COOPERATIVE_LAUNCH_TOO_LARGE = 720
    TENSOR_MEMORY_LEAK = 721
    NOT_PERMITTED = 800
    NOT_SUPPORTED = 801
    SYSTEM_NOT_READY = 802
    SYSTEM_DRIVER_MISMATCH = 803
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804
    MPS_CONNECTION_FAILED = 805
    MPS_RPC_FAILURE = 806
    MPS_SERVER_NOT_READY = 807
    MPS_MAX_CLIENTS_REACHED = 808
    MPS_MAX_CONNECTIONS_REACHED = 809
    MPS_CLIENT_TERMINATED = 810
    CDP_NOT_SUPPORTED = 811
    CDP_VERSION_MISMATCH = 812
    STREAM_CAPTURE_UNSUPPORTED = 900
    STREAM_CAPTURE_INVALIDATED = 901
    STREAM_CAPTURE_MERGE = 902
    STREAM_CAPTURE_UNMATCHED = 903
    STREAM_CAPTURE_UNJOINED = 904
    STREAM_CAPTURE_ISOLATION = 905
    STREAM_CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    STREAM_CAPTURE_WRONG_THREAD = 908
    TIMEOUT = 909
    GRAPH_EXEC_UPDATE_FAILURE = 910
    EXTERNAL_DEVICE = 911
    INVALID_CLUSTER_SIZE = 912
    FUNCTION_NOT_LOADED = 913
    INVALID_RESOURCE_TYPE = 914
    INVALID_RESOURCE_CONFIGURATION = 915
    KEY_ROTATION = 916
    UNKNOWN = 999

    @property
    def c_name(self):
        """``CUDA_ERROR_INVALID_VALUE`` for INVALID_VALUE: the name that C programs use."""
        return "CUDA_SUCCESS" if self is Result.SUCCESS else f"CUDA_ERROR_{self.name}"


class CallError(Exception):
    """A driver call ends with a `result` other than SUCCESS.

    `why` is for people: C has room for the number alone, and reasons.py tells it. Raised by work on the
    device, it breaks every context of the process for good, as a faulting kernel does on a GPU.
    """

    def __init__(self, result, why=""):
        super().__init__(f"{result.c_name}: {why}" if why else result.c_name)
        self.result, self.why = result, why


TEXTS = {
    Result.SUCCESS: "no error",
    Result.INVALID_VALUE: "invalid argument",
    Result.OUT_OF_MEMORY: "out of memory",
    Result.NOT_INITIALIZED: "initialization error",
    Result.DEINITIALIZED: "driver shutting down",
    Result.PROFILER_DISABLED: "profiler disabled while using external profiling tool",
    Result.PROFILER_NOT_INITIALIZED: "profiler not initialized: call cudaProfilerInitialize()",
    Result.PROFILER_ALREADY_STARTED: "profiler already started",
    Result.PROFILER_ALREADY_STOPPED: "profiler already stopped",
    Result.STUB_LIBRARY: "CUDA driver is a stub library",
    Result.CALL_REQUIRES_NEWER_DRIVER: "API call is not supported in the installed CUDA driver",
    Result.DEVICE_UNAVAILABLE: "CUDA-capable device(s) is/are busy or unavailable",
    Result.NO_DEVICE: "no CUDA-capable device is detected",
    Result.INVALID_DEVICE: "invalid device ordinal",
    Result.DEVICE_NOT_LICENSED: "device doesn't have valid Grid license",
    Result.INVALID_IMAGE: "device kernel image is invalid",
    Result.INVALID_CONTEXT: "invalid device context",
    Result.CONTEXT_ALREADY_CURRENT: "context already current",
    Result.MAP_FAILED: "mapping of buffer object failed",
    Result.UNMAP_FAILED: "unmapping of buffer object failed",
    Result.ARRAY_IS_MAPPED: "array is mapped",
    Result.ALREADY_MAPPED: "resource already mapped",
    Result.NO_BINARY_FOR_GPU: "no kernel image is available for execution on the device",
    Result.ALREADY_ACQUIRED: "resource already acquired",
    Result.NOT_MAPPED: "resource not mapped",
    Result.NOT_MAPPED_AS_ARRAY: "resource not mapped as array",
    Result.NOT_MAPPED_AS_POINTER: "resource not mapped as pointer",
    Result.ECC_UNCORRECTABLE: "uncorrectable ECC error encountered",
    Result.UNSUPPORTED_LIMIT: "limit is not supported on this architecture",
    Result.CONTEXT_ALREADY_IN_USE: "exclusive-thread device already in use by a different thread",
    Result.PEER_ACCESS_UNSUPPORTED: "peer access is not supported between these two devices",
    Result.INVALID_PTX: "a PTX JIT compilation failed",
    Result.INVALID_GRAPHICS_CONTEXT: "invalid OpenGL or DirectX context",
    Result.NVLINK_UNCORRECTABLE: "uncorrectable NVLink error detected during the execution",
    Result.JIT_COMPILER_NOT_FOUND: "PTX JIT compiler library not found",
    Result.UNSUPPORTED_PTX_VERSION: "the provided PTX was compiled with an unsupported toolchain.",
    Result.JIT_COMPILATION_DISABLED: "PTX JIT compilation was disabled",
    Result.UNSUPPORTED_EXEC_AFFINITY: "the provided execution affinity is not supported",
    Result.UNSUPPORTED_DEVSIDE_SYNC: "the provided PTX contains unsupported call to cudaDeviceSynchronize",
    Result.CONTAINED: "Invalid access of peer GPU memory over nvlink or a hardware error",
    Result.INVALID_SOURCE: "device kernel image is invalid",
    Result.FILE_NOT_FOUND: "file not found",
    Result.SHARED_OBJECT_SYMBOL_NOT_FOUND: "shared object symbol not found",
    Result.SHARED_OBJECT_INIT_FAILED: "shared object initialization failed",
    Result.OPERATING_SYSTEM: "OS call failed or operation not supported on this OS",
    Result.INVALID_HANDLE: "invalid resource handle",
    Result.ILLEGAL_STATE: "the operation cannot be performed in the present state",
    Result.LOSSY_QUERY: "attempted introspection would be semantically lossy",
    Result.NOT_FOUND: "named symbol not found",
    Result.NOT_READY: "device not ready",
    Result.ILLEGAL_ADDRESS: "an illegal memory access was encountered",
    Result.LAUNCH_OUT_OF_RESOURCES: "too many resources requested for launch",
    Result.LAUNCH_TIMEOUT: "the launch timed out and was terminated",
    Result.LAUNCH_INCOMPATIBLE_TEXTURING: "launch uses incompatible texturing mode",
    Result.PEER_ACCESS_ALREADY_ENABLED: "peer access is already enabled",
    Result.PEER_ACCESS_NOT_ENABLED: "peer access has not been enabled",
    Result.PRIMARY_CONTEXT_ACTIVE: "cannot set while device is active in this process",
    Result.CONTEXT_IS_DESTROYED: "context is destroyed",
    Result.ASSERT: "device-side assert triggered",
    Result.TOO_MANY_PEERS: "peer mapping resources exhausted",
    Result.HOST_MEMORY_ALREADY_REGISTERED: "part or all of the requested memory range is already mapped",
    Result.HOST_MEMORY_NOT_REGISTERED: "pointer does not correspond to a registered memory region",
    Result.HARDWARE_STACK_ERROR: "hardware stack error",
    Result.ILLEGAL_INSTRUCTION: "an illegal instruction was encountered",
    Result.MISALIGNED_ADDRESS: "misaligned address",
    Result.INVALID_ADDRESS_SPACE: "operation not supported on global/shared address space",
    Result.INVALID_PC: "invalid program counter",
    Result.LAUNCH_FAILED: "unspecified launch failure",
    Result.COOPERATIVE_LAUNCH_TOO_LARGE: "too many blocks in cooperative launch",
    Result.TENSOR_MEMORY_LEAK: "tensor memory not completely freed",
    Result.NOT_PERMITTED: "operation not permitted",
    Result.NOT_SUPPORTED: "operation not supported",
    Result.SYSTEM_NOT_READY: "system not yet initialized",
    Result.SYSTEM_DRIVER_MISMATCH: "system has unsupported display driver / cuda driver combination",
    Result.COMPAT_NOT_SUPPORTED_ON_DEVICE: "forward compatibility was attempted on non supported HW",
    Result.MPS_CONNECTION_FAILED: "MPS client failed to connect to the MPS control daemon or the MPS server",
    Result.MPS_RPC_FAILURE: "the remote procedural call between the MPS server and the MPS client failed",
    Result.MPS_SERVER_NOT_READY: "MPS server is not ready to accept new MPS client requests",
    Result.MPS_MAX_CLIENTS_REACHED: "the hardware resources required to create MPS client have been exhausted",
    Result.MPS_MAX_CONNECTIONS_REACHED: "the hardware resources required to support device connections have been exhausted",
    Result.MPS_CLIENT_TERMINATED: "the MPS client has been terminated by the server",
    Result.CDP_NOT_SUPPORTED: "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it",
    Result.CDP_VERSION_MISMATCH: "unsupported interaction between different versions of CUDA Dynamic Parallelism",
    Result.STREAM_CAPTURE_UNSUPPORTED: "operation not permitted when stream is capturing",
    Result.STREAM_CAPTURE_INVALIDATED: "operation failed due to a previous error during capture",
    Result.STREAM_CAPTURE_MERGE: "operation would result in a merge of separate capture sequences",
    Result.STREAM_CAPTURE_UNMATCHED: "capture was not ended in the same stream as it began",
    Result.STREAM_CAPTURE_UNJOINED: "capturing stream has unjoined work",
    Result.STREAM_CAPTURE_ISOLATION: "dependency created on uncaptured work in another stream",
    Result.STREAM_CAPTURE_IMPLICIT: "operation would make the legacy stream depend on a capturing blocking stream",
    Result.CAPTURED_EVENT: "operation not permitted on an event last recorded in a capturing stream",
    Result.STREAM_CAPTURE_WRONG_THREAD: "attempt to terminate a thread-local capture sequence from another thread",
    Result.TIMEOUT: "wait operation timed out",
    Result.GRAPH_EXEC_UPDATE_FAILURE: "the graph update was not performed because it included changes which violated constraints "
                                      "specific to instantiated graph update",
    Result.EXTERNAL_DEVICE: "an async error has occured in external entity outside of CUDA",
    Result.INVALID_CLUSTER_SIZE: "a kernel launch error has occurred due to cluster misconfiguration",
    Result.FUNCTION_NOT_LOADED: "the function handle is not loaded when calling an API that requires a loaded function",
    Result.INVALID_RESOURCE_TYPE: "one or more resources passed in are not valid resource types for the operation",
    Result.INVALID_RESOURCE_CONFIGURATION: "one or more resources are insufficient or non-applicable for the operation",
    Result.KEY_ROTATION: "an error happened during the key rotation sequence",
    Result.UNKNOWN: "unknown error",
}
