"""Execute a sequence of two processes that take turns, and say each answer without addresses (see executor.py for UNSET, REUSED).

A call is ``[verb, where, arguments]``; `where` is a process and the device whose context is current there: "here 0", "there 1".
What passes between the processes, an IPC handle or a descriptor, has a name that starts with ``x`` and is kept by neither: it
outlives both. Only "there" is killed, and started again.
"""
import os

from cuda.bindings import driver as cu

from ..helpers import between, processes, shareable, shared_pools
from ..helpers.calls import ask, must, name, outcome
from ..helpers.memory_kinds import LARGE, access, location
from ..helpers.peers import copy_code_at
from ..helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ..helpers.processes import OtherProcess, remembered
from .executor import REUSED, UNSET

WORDS = {"take": between.take, "look": between.look, "put": between.put, "fill": between.fill, "range": between.address_range, "free": between.free,
         "offer": shareable.ipc_handle, "open": shareable.open_memory, "close": shareable.close_memory,
         "physical": shareable.create_physical, "export": shareable.descriptor, "import": shareable.import_memory,
         "release": shareable.release_handle, "show": shareable.map_memory, "hide": shareable.unmap_memory,
         "pool": shared_pools.pool, "draw": shared_pools.take_from_pool, "give back": shared_pools.free_in_stream,
         "export pool": shared_pools.pool_descriptor, "import pool": shared_pools.import_pool, "export pointer": shared_pools.pointer_data,
         "import pointer": shared_pools.import_pointer, "destroy pool": shared_pools.destroy_pool}
PASSES_ON = ("offer", "export", "export pool", "export pointer")
TAKES_IN = ("open", "import", "import pool", "import pointer")
ENDS = ("free", "close", "release", "hide", "give back", "destroy pool")
MAKES = ("take", "physical", "show", "pool", "draw", *TAKES_IN)    # their first argument is the name of what is new
GIVES_BACK = {"v": shareable.unmap_memory, "k": shareable.release_handle, "o": shared_pools.destroy_pool}    # by a label's first letter
HANDLES = "ko"    # physical handles and pools: a GPU's driver may crash over those that are gone


def prepare(devices):
    """In each process: a context of each device."""
    must(cu.cuInit(0))
    remembered.update(dead=set(), peers=set(), contexts=[must(cu.cuCtxCreate(None, 0, ordinal)) for ordinal in range(devices)])
    return "SUCCESS"


def turn(device, verb, *arguments):
    """In the process that it is about: make the call and answer."""
    must(cu.cuCtxSetCurrent(remembered["contexts"][device]))
    for label in arguments[verb in MAKES:2 if verb in ("show", "draw", "copy", "import pointer") else 1]:
        problem = _problem(label, verb)
        if problem:
            return problem
    if verb == "fill" and not _reachable(device, arguments[0]):
        return UNSET
    answer = _special(device, verb, *arguments) if verb in SPECIAL else WORDS[verb](*arguments)
    if verb in ENDS and "SUCCESS" in answer:
        remembered["dead"].add(arguments[0])
    return answer


def _problem(label, verb):
    if label not in remembered:
        return UNSET
    if label in remembered["dead"]:
        if label[0] in HANDLES and verb != "release":
            return UNSET
        if label[0] not in HANDLES and _known_again(label):
            return REUSED
    return None


def _known_again(label):
    """Does the address of something gone belong to something else now, that is not another name of it?"""
    alive = {name for name in remembered if name[-1].isdigit() and name[0] not in HANDLES} - remembered["dead"]
    return not get_attribute(ATTRIBUTES["MEMORY_TYPE"], remembered[label])[0] and all(remembered[name] != remembered[label] for name in alive)


def _reachable(device, label):
    """May a kernel write there? What it may not would end all further answers."""
    code, ordinal, _ = get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], remembered[label])
    if label in remembered["dead"] or code:
        return False
    if label[0] == "v":
        return outcome(cu.cuMemGetAccess(location(ordinal=device), remembered[label])) == 3
    return ordinal & 0xFFFFFFFF == device or (label[0] == "d" and device in remembered["peers"])


def _special(device, verb, *arguments):
    return SPECIAL[verb](device, *arguments)


def _copy(device, to, source, size):
    code = ask(cu.cuMemcpyDtoD(remembered[to], remembered[source], size))
    return [code, ask(cu.cuCtxSynchronize())]


def _attribute(device, label, attribute):
    code, value, _ = get_attribute(ATTRIBUTES[attribute], remembered[label])
    if code:
        return name(code)
    return value - remembered[label] if attribute in ("DEVICE_POINTER", "RANGE_START_ADDR") else value & (0xFF if attribute == "MAPPED" else 0xFFFFFFFF)


def _access(device, label, right, ordinal):
    return ask(cu.cuMemSetAccess(remembered[label], LARGE, [access(right, ordinal=ordinal)], 1))


def _peer(device, _, on):
    call = cu.cuCtxEnablePeerAccess if on else cu.cuCtxDisablePeerAccess
    code = ask(call(remembered["contexts"][1 - device], *([0] if on else [])))
    if code == "SUCCESS":
        remembered["peers"].symmetric_difference_update({device})
    return code


SPECIAL = {"copy": _copy, "attribute": _attribute, "access": _access, "peer": _peer,
           "see": lambda device, label: copy_code_at(remembered[label])}


class Turns:
    """Both processes, and what has been passed on between them."""

    def __init__(self, devices):
        self.devices, self.passed, self.other = devices, {}, None
        prepare(devices)

    def answer(self, call):
        verb, where, *arguments = call
        process, _, device = where.partition(" ")
        if verb in ("start", "kill", "leave"):
            return self.life(verb)
        if verb == "drop":
            return self.drop(*arguments)
        fds = []
        if verb in TAKES_IN:
            if arguments[-1] not in self.passed:
                return UNSET
            blob = self.passed[arguments.pop()]
            if isinstance(blob, int) != (verb in ("import", "import pool")):
                return UNSET
            fds = [blob] if isinstance(blob, int) else []
            arguments += [] if fds else [blob]
        label = arguments.pop() if verb in PASSES_ON else None
        answer = self.ask(process, int(device), verb, arguments, fds)
        if label and not isinstance(answer, (str, list)):
            self.passed[label] = int(answer) if isinstance(answer, int) else answer
            answer = "given"
        return answer if isinstance(answer, list) else [answer]

    def ask(self, process, device, verb, arguments, fds):
        if process == "here":
            return turn(device, verb, *arguments, *map(os.dup, fds))
        if not self.other or self.other.end:
            return UNSET
        return self.other.ask(turn, device, verb, *arguments, fds=fds)

    def life(self, verb):
        if verb == "start" and (not self.other or self.other.end):
            self.other = OtherProcess(None)
            return [self.other.ask(prepare, self.devices)]
        return UNSET if verb == "start" or not self.other or self.other.end else [getattr(self.other, verb)()]

    def drop(self, label):
        """Close a descriptor, or forget a handle."""
        if label not in self.passed:
            return UNSET
        blob = self.passed.pop(label)
        if isinstance(blob, int):
            os.close(blob)
        return ["dropped"]

    def close(self):
        """Give everything back, whatever the sequence left."""
        processes.end_all_processes()
        for label in list(self.passed):
            self.drop(label)
        for label in remembered.keys() - {"dead", "peers", "contexts"} - remembered["dead"]:
            if label[0] in GIVES_BACK:
                GIVES_BACK[label[0]](label)
        for context in remembered["contexts"]:
            cu.cuCtxDestroy(context)


def execute(calls, recording=False, devices=1):
    """Yield (number of the call, answer)."""
    turns = Turns(devices)
    try:
        for number, call in enumerate(calls):
            yield str(number), turns.answer(call)
    finally:
        turns.close()
