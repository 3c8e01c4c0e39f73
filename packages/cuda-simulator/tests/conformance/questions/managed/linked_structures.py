"""Structures with pointers in managed memory: trees, tables of keys and graphs that one side builds and both use."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, where
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, fresh, prefetch_and_wait, view
from ...helpers.memory_kinds import make
from ...helpers.streams import stream

SOURCE = r"""
extern "C" {
struct Node { int key; int count; Node *left; Node *right; };
__global__ void find(const Node *root, const int *keys, int *found) {
    const Node *node = root;
    int key = keys[threadIdx.x], depth = 0;
    while (node && node->key != key) { node = key < node->key ? node->left : node->right; depth++; }
    found[threadIdx.x] = node ? depth : -1;
}
__global__ void insert(Node **root, Node *room, const int *keys, int n) {
    for (int i = 0; i < n; i++) {
        Node **place = root;
        while (*place && (*place)->key != keys[i]) place = keys[i] < (*place)->key ? &(*place)->left : &(*place)->right;
        if (*place) { (*place)->count++; continue; }
        room->key = keys[i]; room->count = 1; room->left = room->right = 0;
        *place = room++;
    }
}
__global__ void mirror(Node **nodes) {
    Node *node = nodes[threadIdx.x], *left = node->left;
    node->left = node->right;
    node->right = left;
}
__global__ void put(unsigned *keys, int *values, int slots, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    unsigned key = 1000 + i * 17, at = key % slots;
    while (true) {
        unsigned was = atomicCAS_system(&keys[at], 0u, key);
        if (was == 0 || was == key) { atomicAdd_system(&values[at], i); return; }
        at = (at + 1) % slots;
    }
}
__global__ void wave(const int *begin, const int *neighbours, int *distance, int n, int step, int *more) {
    int i = threadIdx.x;
    if (i >= n || distance[i] != step) return;
    for (int e = begin[i]; e < begin[i + 1]; e++)
        if (atomicCAS(&distance[neighbours[e]], -1, step + 1) == -1) *more = 1;
}
__global__ void push(Node *nodes, unsigned long long *head) {
    Node *node = nodes + threadIdx.x;
    unsigned long long old;
    do {
        old = *(volatile unsigned long long *)head;
        node->left = (Node *)old;
    } while (atomicCAS(head, old, (unsigned long long)node) != old);
}
__global__ void lengths(const char *const *texts, int *out) {
    int n = 0;
    for (const char *c = texts[threadIdx.x]; *c; c++) n++;
    out[threadIdx.x] = n;
}
__global__ void rows(float **matrix, int columns) {
    for (int i = 0; i < columns; i++) matrix[blockIdx.x][i] = 10 * blockIdx.x + i;
}
__global__ void offsets(const int *base, int *out) {
    int at = 0, n = 0;
    while (base[at]) { at += base[at]; n++; }
    *out = n * 100 + at;
}
}
"""


class Node(ctypes.Structure):
    pass


Node._fields_ = [("key", ctypes.c_int), ("count", ctypes.c_int), ("left", ctypes.POINTER(Node)),
                 ("right", ctypes.POINTER(Node))]


def run(title, *arguments, **shape):
    return ask(kernels.run(kernels.kernel(title, SOURCE), *arguments, **shape))


def in_order(node):
    return in_order(node.contents.left) + [node.contents.key] + in_order(node.contents.right) if node else []


def tree(*keys):
    """Nodes of a search tree that the host builds, each in an allocation of its own."""
    nodes = []
    for key in keys:
        node = Node.from_address(fresh(ctypes.sizeof(Node)))
        node.key, node.count, node.left, node.right = key, 0, None, None
        at = nodes[0] if nodes else None
        while at is not None:
            side = "left" if key < at.key else "right"
            if not getattr(at, side):
                setattr(at, side, ctypes.pointer(node))
                break
            at = getattr(at, side).contents
        nodes.append(node)
    return nodes


@question("a kernel finds keys in a tree whose nodes are allocations of their own")
def found():
    nodes = tree(50, 20, 80, 10, 30, 70, 90, 5)
    root, k, o = ctypes.addressof(nodes[0]), fresh(), fresh()
    keys, out = view(k, np.int32, 6), view(o, np.int32, 6)
    keys[:] = (50, 5, 90, 31, 70, 0)
    yield "all", [run("find", root, k, o, block=6), out.tolist()]
    nodes[3].left = None
    yield "a leaf cut off", [run("find", root, k, o, block=6), out.tolist()]
    nodes[2].key = 81
    yield "from the right half", [run("find", ctypes.addressof(nodes[2]), k, o, block=6), out.tolist()]
    yield "from nowhere", [run("find", 0, k, o, block=6), out.tolist()]
    codes = {ask(cu.cuMemFree(ctypes.addressof(node))) for node in nodes}
    yield "each node is freed", sorted(codes)


@question("a kernel inserts into a managed tree what the host then reads in order")
def inserted():
    r, room, k = fresh(), fresh(), fresh()
    root, keys = ctypes.POINTER(Node).from_address(r), view(k, np.int32, 40)
    keys[:] = (np.arange(40) * 29) % 23
    yield "one key", [run("insert", r, room, k, i32(1)), in_order(root), root.contents.count]
    yield "twenty more", [run("insert", r, room + 24, k, i32(20)), in_order(root), root.contents.count]
    yield "the rest", [run("insert", r, room + PAGE, k + 80, i32(20)), len(in_order(root)), root.contents.count]
    yield "none", [run("insert", r, room, k, i32(0)), len(in_order(root))]
    root.contents.left = None
    yield "the left half gone", in_order(root)[:3]


@question("a managed tree is turned round by a kernel that is given its nodes in a table of another kind of memory")
def turned_round():
    for kind in ("pinned", "registered", "managed"):
        nodes = tree(4, 2, 6, 1, 3)
        table = make(kind).address
        view(table, np.uint64, 5)[:] = [ctypes.addressof(node) for node in nodes]
        code = run("mirror", table, block=5)
        yield kind, [code, in_order(ctypes.pointer(nodes[0])), nodes[1].left.contents.key]
        yield f"{kind}: twice", [run("mirror", table, block=5), in_order(ctypes.pointer(nodes[0]))]


@question("threads put keys into one managed table, and the host finds each once")
def table_of_keys():
    for place in ("host", "device"):
        k, v = fresh(), fresh()
        prefetch_and_wait(k, PAGE, place)
        keys, values = view(k, np.uint32, 67), view(v, np.int32, 67)
        yield f"on the {place}", [run("put", k, v, i32(67), i32(60), block=64), int((keys != 0).sum()),
                                  int(keys.sum()),
                                  int(values.sum())]
        yield f"on the {place}: again", [run("put", k, v, i32(67), i32(30), block=64), int((keys != 0).sum()),
                                         int(values.sum())]
    numbers = (keys[keys != 0].astype(int) - 1000) // 17
    yield "each value at its key", bool((values[keys != 0] == numbers + numbers * (numbers < 30)).all())


@question("a wave goes through a managed graph, one kernel a step, until a flag stays down")
def waves():
    edges = {0: (1, 2), 1: (3,), 2: (3, 4), 3: (5,), 4: (), 5: (0,), 6: (7,), 7: (6,)}
    b, n, d, m = fresh(), fresh(), fresh(), fresh()
    begin, neighbours = view(b, np.int32, 9), view(n, np.int32, 9)
    distance, again = view(d, np.int32, 8), view(m, np.int32, 1)
    begin[:], neighbours[:9] = np.cumsum([0, *map(len, edges.values())]), [to for row in edges.values() for to in row]
    for start in (0, 3, 6, 4):
        distance[:], steps = -1, 0
        distance[start], again[0] = 0, 1
        while again[0] and steps < 20:
            again[0] = 0
            code = run("wave", b, n, d, i32(8), i32(steps), m, block=8)
            steps += 1
        yield f"from {start}", [code, steps, distance.tolist()]


@question("threads push nodes on a managed list, and the host counts them all")
def pushed():
    for count in (1, 33, 500):
        nodes, h = (Node * count).from_address(room := fresh()), fresh(8)
        for at, node in enumerate(nodes):
            node.key = at
        code, keys, cursor = run("push", room, h, block=count), set(), ctypes.POINTER(Node).from_address(h)
        while cursor and len(keys) <= count:
            keys.add(cursor.contents.key)
            cursor = cursor.contents.left
        yield f"{count}", [code, len(keys), sum(keys)]


@question("texts of several allocations are measured by a kernel, one that has its end in the next page too")
def texts():
    t, o, blocks = fresh(), fresh(), [fresh(), fresh(100), int(must(cu.cuMemAllocManaged(3 * MIB, 2)))]
    places = [blocks[0], blocks[0] + PAGE - 3, blocks[1] + 99, blocks[2] + 2 * MIB - 5]
    for at, text in zip(places, (b"", b"seven c", b"", b"ten letter")):
        ctypes.memmove(at, text + b"\0", len(text) + 1)
    table, out = view(t, np.uint64, 4), view(o, np.int32, 4)
    table[:] = places
    yield "all", [run("lengths", t, o, block=4), out.tolist()]
    table[:] = np.uint64(places[1]) + np.arange(4, dtype=np.uint64)
    yield "ends of one", [run("lengths", t, o, block=4), out.tolist()]
    ctypes.memset(places[3] + 2, 0, 1)
    table[0] = places[3]
    yield "cut short by the host", [run("lengths", t, o), int(out[0])]


@question("a matrix of rows has its table in managed memory and its rows in an allocation each, or all in one")
def matrix_of_rows():
    t = fresh()
    table, whole = view(t, np.uint64, 4), fresh()
    for label, addresses in (("an allocation each", [fresh(40) for _ in range(4)]),
                             ("all in one", [whole + 40 * row for row in range(4)]),
                             ("rows that are one", [whole] * 2 + [whole + 80] * 2),
                             ("upside down", [whole + 40 * row for row in (3, 2, 1, 0)])):
        table[:] = addresses
        rows = [view(row, np.float32, 10) for row in addresses]
        code = run("rows", t, i32(10), grid=4) if label != "rows that are one" else "not asked"
        yield label, [code, [float(row[9]) for row in rows], where(table[1], a=addresses[1])]


@question("a structure without pointers keeps its meaning when it is copied from managed memory to any other and back")
def offsets():
    a, o = fresh(), fresh()
    base, out = view(a, np.int32, 12), view(o, np.int32, 1)
    base[:] = (3, 0, 0, 2, 0, 4, 0, 0, 0, 1, 0, 9)
    yield "where it was built", [run("offsets", a, o), int(out[0])]
    for kind in ("device", "pinned", "mapped", "managed"):
        b, s = make(kind).address, stream()
        code = ask(cu.cuMemcpyAsync(b, a, 48, s))
        yield f"copied to {kind}", [code, ask(cu.cuStreamSynchronize(s)), run("offsets", b, o), int(out[0])]
    ctypes.memmove(a + MIB, a, 48)
    base[:] = 0
    yield "moved within its block", [run("offsets", a + MIB, o), int(out[0]), run("offsets", a, o), int(out[0])]
