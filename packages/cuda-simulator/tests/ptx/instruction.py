"""One PTX instruction on given operands: what the property tests of arithmetic ask."""

from __future__ import annotations

import functools

import numpy as np

from . import interpreter as ptx
from .machine import PtxMachine

BITS = {"pred": 8, "f16x2": 32, "bf16x2": 32, "bf16": 16, "e4m3x2": 16, "e5m2x2": 16}


def width(type_name: str) -> int:
    return BITS.get(type_name) or int(type_name[1:])


def register_type(type_name: str) -> str:
    return "pred" if type_name == "pred" else f"b{max(width(type_name), 16)}"


@functools.cache
def program(opcode: str, results: tuple, sources: tuple) -> ptx.PtxKernel:
    """A kernel that loads the operands of each thread, runs the instruction, and stores its results."""
    lines = [".version 8.5", ".target sm_90", ".address_size 64", ".visible .entry k(",
             ",".join(f".param .u64 p{i}" for i in range(len(sources) + len(results))), ") {",
             ".reg .b64 %a<3>; .reg .b32 %t; .reg .b32 %w; mov.u32 %t, %tid.x;"]
    loads, stores, names = [], [], []
    for i, type_name in enumerate((*results, *sources)):
        name = f"%v{i}"
        lines.append(f".reg .{register_type(type_name)} {name};")
        size = width(type_name) // 8
        address = f"ld.param.u64 %a0, [p{i}]; mul.wide.u32 %a1, %t, {size}; add.s64 %a2, %a0, %a1;"
        if i < len(results):
            stores.append(address + (f"selp.u32 %w, 1, 0, {name}; st.global.u8 [%a2], %w;" if type_name == "pred"
                                     else f"st.global.b{size * 8} [%a2], {name};"))
        else:
            loads.append(address + (f"ld.global.u8 %w, [%a2]; setp.ne.u32 {name}, %w, 0;" if type_name == "pred"
                                    else f"ld.global.b{size * 8} {name}, [%a2];"))
        names.append(name)
    target = "|".join(names[:len(results)])
    body = f"{opcode} {', '.join([target, *names[len(results):]])};"
    text = "\n".join([*lines, *loads, body, *stores, "ret; }"])
    return ptx.load(text).kernels["k"]


def run(opcode: str, results, sources, *columns):
    """Apply an instruction to columns of operand bits (ints); returns a column of bits for each result.

    Every case is run among the others and by itself, which take different ways through the interpreter.
    """
    results = (results,) if isinstance(results, str) else tuple(results)
    kernel = program(opcode, results, tuple(sources))
    count = len(columns[0])
    together = _launch(kernel, results, sources, columns, count)
    alone = [_launch(kernel, results, sources, [column[i:i + 1] for column in columns], 1)
             for i in range(min(count, 3))]
    for i, column_of_one in enumerate(alone):
        assert all(_alike(column[0], many[i], name) for column, many, name in zip(column_of_one, together, results)), \
            f"{opcode}: one lane alone computes something else for {[hex(column[i]) for column in columns]}"
    return together[0] if len(results) == 1 else together


def _alike(a: int, b: int, type_name: str) -> bool:
    """Equal, or both NaNs of f64, whose other bits PTX leaves open."""
    infinity = 0x7FF0000000000000
    return a == b or (type_name == "f64" and a & 2**63 - 1 > infinity and b & 2**63 - 1 > infinity)


def _launch(kernel, results, sources, columns, count):
    machine = PtxMachine()
    outputs = [machine.array(np.zeros(count, f"u{width(result) // 8}")) for result in results]
    inputs = [machine.array(np.array(column, f"u{width(source) // 8}")) for source, column in zip(sources, columns)]
    parameters = b"".join(address.to_bytes(8, "little") for address, _ in (*outputs, *inputs))
    ptx.run(kernel, (1, 1, 1), (count, 1, 1), parameters, 0, machine)
    return [array.tolist() for _, array in outputs]
