"""Devices (cuda.h: Device Management, Peer Context Memory Access)."""
import ctypes

from ..device import context as contexts
from ..device.device_facts import COMPUTE_CAPABILITY, PCI_BUS, PCI_DEVICE
from ..libcuda.library import INITIALIZED, call, i32, pointer, u32
from ..libcuda.output import load_string, store, store_bytes, store_string
from ..libcuda.results import CallError, Result
from ..libcuda.state import current, driver


@call("cuDeviceGetCount", needs=INITIALIZED)
def device_get_count(count: pointer):
    store(count, ctypes.c_int, len(driver.devices))


@call("cuDeviceGet", needs=INITIALIZED)
def device_get(device: pointer, ordinal: i32):
    store(device, ctypes.c_int, driver.device(ordinal).ordinal)


@call("cuDeviceGetName", needs=INITIALIZED)
def device_get_name(name: pointer, room: i32, device: i32):
    store_string(name, room, driver.device(device).name)


@call("cuDeviceGetUuid_v2", "cuDeviceGetUuid", needs=INITIALIZED)
def device_get_uuid(uuid: pointer, device: i32):
    store_bytes(uuid, driver.device(device).uuid)


@call("cuDeviceTotalMem_v2", needs=INITIALIZED)
def device_total_mem(size: pointer, device: i32):
    store(size, ctypes.c_size_t, driver.device(device).total_memory)


@call("cuDeviceGetAttribute", needs=INITIALIZED)
def device_get_attribute(value: pointer, attribute: i32, device: i32):
    attributes = driver.device(device).attributes
    if attribute not in attributes:
        raise CallError(Result.INVALID_VALUE, f"there is no device attribute {attribute}")
    store(value, ctypes.c_int, attributes[attribute])


@call("cuDeviceComputeCapability", needs=INITIALIZED)
def device_compute_capability(major: pointer, minor: pointer, device: i32):
    attributes = driver.device(device).attributes
    for target, attribute in zip((major, minor), COMPUTE_CAPABILITY):
        store(target, ctypes.c_int, attributes[attribute])


def _bus_id(device):
    return f"0000:{device.attributes[PCI_BUS]:02X}:{device.attributes[PCI_DEVICE]:02X}.0"


@call("cuDeviceGetPCIBusId", needs=INITIALIZED)
def device_get_pci_bus_id(target: pointer, room: i32, device: i32):
    name = _bus_id(driver.device(device))
    if room <= len(name):
        raise CallError(Result.INVALID_VALUE, f"the name takes {len(name) + 1} bytes")
    store_string(target, room, name)


@call("cuDeviceGetByPCIBusId", needs=INITIALIZED)
def device_get_by_pci_bus_id(device: pointer, text: pointer):
    if not device:
        raise CallError(Result.INVALID_VALUE, "no place for the device")
    bus_id = load_string(text).upper().removesuffix(".0")
    if bus_id.count(":") not in (1, 2) or not set(bus_id) <= set("0123456789ABCDEF:."):
        raise CallError(Result.INVALID_VALUE, f"{bus_id} is no PCI address")
    for candidate in driver.devices:
        name = _bus_id(candidate).removesuffix(".0")
        if bus_id in (name, name.removeprefix("0000:")):
            return store(device, ctypes.c_int, candidate.ordinal)
    raise CallError(Result.INVALID_DEVICE, f"no device at {bus_id}")


MOST_TEXELS, TEXTURE_BYTES = 1 << 30, 1 << 32    # of a one-dimensional texture in linear memory, on an H200
_FORMAT_BYTES = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 16: 2, 32: 4}    # CUarray_format


@call("cuDeviceGetTexture1DLinearMaxWidth", needs=INITIALIZED)
def device_get_texture_1d_linear_max_width(width: pointer, form: i32, channels: u32, device: i32):
    driver.device(device)
    if form not in _FORMAT_BYTES or channels not in (1, 2, 4):
        raise CallError(Result.INVALID_VALUE, f"there are no textures of format {form}, {channels} channels")
    store(width, ctypes.c_size_t, min(MOST_TEXELS, TEXTURE_BYTES // (_FORMAT_BYTES[form] * channels)))


@call("cuFlushGPUDirectRDMAWrites")
def flush_gpu_direct_rdma_writes(target: i32, scope: i32):
    """Nobody else writes to the device's memory."""
    if target != 0 or scope not in (100, 200):    # the current context; to its owner, to all devices
        raise CallError(Result.INVALID_VALUE, f"no target {target}, or no scope {scope}")


# -- peers --------------------------------------------------------------------------------------------------------

@call("cuDeviceCanAccessPeer", needs=INITIALIZED)
def device_can_access_peer(answer: pointer, device: i32, peer: i32):
    store(answer, ctypes.c_int, driver.device(device) is not driver.device(peer))


@call("cuDeviceGetP2PAttribute", needs=INITIALIZED)
def device_get_p2p_attribute(value: pointer, attribute: i32, device: i32, peer: i32):
    if driver.device(device) is driver.device(peer):
        raise CallError(Result.INVALID_DEVICE, "a device is not its own peer")
    if attribute not in (1, 2, 3, 4, 5):
        raise CallError(Result.INVALID_VALUE, f"there is no peer attribute {attribute}")
    # Of rank 0; access, native atomics and arrays: yes; not only some of the atomics.
    store(value, ctypes.c_int, attribute in (2, 3, 4))


def _peer(handle):
    if not handle:
        raise CallError(Result.INVALID_CONTEXT, "null is no context")
    return contexts.find(handle)


@call("cuCtxEnablePeerAccess")
def ctx_enable_peer_access(handle: pointer, flags: u32):
    if flags:
        raise CallError(Result.INVALID_VALUE, "no flags are defined")
    context, peer = current(), _peer(handle)
    if peer.device is context.device:
        raise CallError(Result.PEER_ACCESS_UNSUPPORTED, "a device is not its own peer")
    if peer in context.peers:
        raise CallError(Result.PEER_ACCESS_ALREADY_ENABLED)
    context.enable_peer(peer)


@call("cuCtxDisablePeerAccess")
def ctx_disable_peer_access(handle: pointer):
    context, peer = current(), _peer(handle)
    if peer not in context.peers:
        raise CallError(Result.PEER_ACCESS_NOT_ENABLED)
    context.disable_peer(peer)
