"""CUDA_VISIBLE_DEVICES: which devices a process is shown, and in which order."""
import os

from cuda.bindings import driver as cu

from ...asking import NOTHING, two_process_question as question
from ...helpers.calls import ask, must, outcome, where
from ...helpers.memory_kinds import make
from ...helpers.peers import all_devices, init_and_devices
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess


def devices_shown(text, names, **environment):
    process = OtherProcess(None, CUDA_VISIBLE_DEVICES=text, **environment)
    answer = process.ask(init_and_devices, names)
    process.kill()
    return answer


@question("CUDA_VISIBLE_DEVICES says which devices a process has, and in which order", needs=NOTHING, devices=2)
def visible_devices():
    names = all_devices()
    for text in ("0", "1", "0,1", "1,0", ""):
        yield repr(text), devices_shown(text, names)


@question("a list of visible devices ends before the first entry that names none", needs=NOTHING, devices=2)
def visible_until():
    names = all_devices()
    for text in ("-1", "0,-1", "0,-1,1", "1,-1,0", "7", "0,7,1", "7,0", "99999999999", "nonsense", "0,nonsense", "1,nonsense,0", "nonsense,1",
                 "NoDevFiles", "all", "none"):
        yield repr(text), devices_shown(text, names)


@question("a device that is listed twice ends the list of visible devices, or empties it", needs=NOTHING, devices=2)
def visible_twice():
    names = all_devices()
    for text in ("0,0", "1,1", "0,1,0", "1,0,0", "0,1,1"):
        yield repr(text), devices_shown(text, names)


@question("a number in the list may have spaces and signs around it, and nothing else", needs=NOTHING, devices=2)
def visible_numbers():
    names = all_devices()
    for text in (" 1", "1 ", "1, 0", "1 ,0", " ", ",", ",1", "1,", "1,,0", "01", "+1", "0x1", "1.0", "1;0", "1 0", "1x", "1x,0", "\t1", "0-1", "'1'"):
        yield repr(text), devices_shown(text, names)


@question("devices are listed by their UUID, or by the beginning of one", needs=NOTHING, devices=2)
def visible_uuids():
    names = all_devices()
    full = [f"GPU-{uuid[:8]}-{uuid[8:12]}-{uuid[12:16]}-{uuid[16:20]}-{uuid[20:]}" for uuid in names]
    different = next(n for n in range(41) if full[0][n] != full[1][n])    # where the two begin to differ
    other_case = lambda text: text[:4] + text[4:].upper()
    for label, text in {
            "the first": full[0], "the second": full[1], "both, exchanged": f"{full[1]},{full[0]}", "its beginning": full[1][:different + 1],
            "the beginning of both": full[1][:different], "GPU- alone": "GPU-", "without GPU-": full[1][4:], "gpu-": "gpu-" + full[1][4:],
            "upper case": other_case(full[1]), "one digit more": full[1] + "0", "without hyphens": "GPU-" + names[1], "one and a number": f"{full[1]},0",
            "a number and one": f"0,{full[1]}", "one twice": f"{full[1]},{full[1]}", "its beginning and itself": f"{full[1][:different + 1]},{full[1]}",
            "one that is not there": "GPU-00000000-1111-2222-3333-444444444444", "that, then one that is": f"GPU-00000000-1111-2222-3333-444444444444,{full[1]}",
            "one, then that": f"{full[1]},GPU-00000000-1111-2222-3333-444444444444", "with a space before it": " " + full[1],
            "with a space after it": full[1] + " ", "MIG-": "MIG-" + full[1][4:]}.items():
        yield label, devices_shown(text, names)


@question("the variable is read when CUDA begins, and not again", needs=NOTHING, devices=2)
def visible_later():
    names = all_devices()
    yield "changed after cuInit", OtherProcess(None, CUDA_VISIBLE_DEVICES=None).ask(order_changed, "1", names)
    yield "made larger after cuInit", OtherProcess(None, CUDA_VISIBLE_DEVICES="1").ask(order_changed, "0,1", names)
    yield "none at first", OtherProcess(None, CUDA_VISIBLE_DEVICES="").ask(order_changed, "1", names)
    yield "changed before cuInit", OtherProcess(None, CUDA_VISIBLE_DEVICES="0").ask(set_then_visible, "1", names)


def order_changed(text, names):
    return [init_and_devices(names), set_then_visible(text, names)]


def set_then_visible(text, names):
    os.environ["CUDA_VISIBLE_DEVICES"] = text
    return init_and_devices(names)


@question("devices are ordered by their speed or by their bus", needs=NOTHING, devices=2)
def visible_order():
    names = all_devices()
    for order in ("PCI_BUS_ID", "FASTEST_FIRST", "nonsense", ""):
        for text in (None, "1,0"):
            yield f"{order}, {text}", devices_shown(text, names, CUDA_DEVICE_ORDER=order)


@question("a device that is alone in its process has number 0 there, and is itself", needs=NOTHING, devices=2)
def renumbered():
    process = OtherProcess(0, CUDA_VISIBLE_DEVICES="1")
    yield "numbers", process.ask(numbers)
    yield "where its memory is", process.ask(ordinal_of_new_memory)
    everything = OtherProcess(1, CUDA_VISIBLE_DEVICES=None)
    yield "bus, as the process that sees both says of device 1", process.ask(bus_of, 0) == everything.ask(bus_of, 1)


def numbers():
    return [outcome(cu.cuCtxGetDevice()), outcome(cu.cuDeviceGet(0)), ask(cu.cuDeviceGet(1)), ask(cu.cuDeviceCanAccessPeer(0, 1))]


def ordinal_of_new_memory():
    a = make("device").address
    return [get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], a)[1] & 0xFFFFFFFF, where(a, a=a)]


def bus_of(ordinal):
    return must(cu.cuDeviceGetPCIBusId(64, ordinal)).split(b"\0")[0]
