"""Data structures and synchronisation: lists, hash tables, trees, queues, locks."""

import numpy as np

from . import case, mixed, zeros

# A list through 500 elements in a random order: element -> next.
_ORDER = np.argsort(mixed(500, seed=11), kind="stable").astype(np.int32)
_NEXT = zeros(500)
_NEXT[_ORDER] = np.roll(_ORDER, -1)

case("pointer_chase_one_thread",
     "One thread follows a list: every load waits for the one before.", """
extern "C" __global__ void k(const int *next, int *out, int n) {
    int p = 0, t = 0;
    for (int i = 0; i < n; i++) {
        t += p * (i & 7);
        p = next[p];
    }
    out[0] = p;
    out[1] = t;
}
""", grid=1, block=1,
     arguments=(_NEXT, zeros(2), 777))

case("pointer_jumping_list_ranking",
     "The distance of each element from the end of a list, in log n steps.", """
extern "C" __global__ void k(int *next, int *rank, int n) {
    int i = threadIdx.x;
    for (int k = 1; k < n; k *= 2) {
        int q = next[i], r = rank[i], rq = q >= 0 ? rank[q] : 0, nq = q >= 0 ? next[q] : -1;
        __syncthreads();
        if (q >= 0) {
            rank[i] = r + rq;
            next[i] = nq;
        }
        __syncthreads();
    }
}
""", grid=1, block=256,
     arguments=(np.concatenate((np.arange(1, 256), [-1])).astype(np.int32), np.ones(256, np.int32), 256),
     expected=lambda next, rank, n: {1: np.arange(256, 0, -1).astype(np.int32)})

case("linked_list_from_the_heap",
     "Each thread builds a list with malloc, walks it and frees it.", """
extern "C" __global__ void k(int *out) {
    struct Node {
        int value;
        Node *next;
    };

    Node *head = 0;
    int n = threadIdx.x % 7 + 1;
    for (int i = 0; i < n; i++) {
        Node *p = (Node *)malloc(sizeof(Node));
        p->value = i * threadIdx.x;
        p->next = head;
        head = p;
    }
    int t = 0, w = 1;
    while (head) {
        t += head->value * w++;
        Node *p = head;
        head = head->next;
        free(p);
    }
    out[threadIdx.x] = t;
}
""", grid=1, block=40,
     arguments=(zeros(40),))

case("hash_table_open_addressing",
     "Insertion by compare-and-swap; a full slot sends the key to the next one.", """
extern "C" __global__ void k(const int *keys, int *table, int *where, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) {
        int key = keys[i], slot = key * 2654435761u >> 23;
        while (true) {
            int old = atomicCAS(table + slot, -1, key);
            if (old == -1 || old == key)
                break;
            slot = (slot + 1) & 511;
        }
        where[i] = table[slot] == key;
    }
}
""", grid=4, block=64, unordered=(1,),
     arguments=(mixed(250, high=100000), np.full(512, -1, np.int32), zeros(250), 250),
     expected=lambda keys, table, where, n: {2: np.ones(250, np.int32)})


def _search_tree(count):
    """Keys 0, 10, 20, ... in a complete binary search tree: the children of i are 2 i + 1 and 2 i + 2."""
    tree, keys = zeros(count), iter(range(0, 10 * count, 10))

    def fill(node):
        if node < count:
            fill(2 * node + 1)
            tree[node] = next(keys)
            fill(2 * node + 2)
    fill(0)
    return tree


case("binary_tree_search_in_an_array",
     "A search tree without pointers.", """
extern "C" __global__ void k(const int *tree, const int *keys, int *found) {
    int node = 0, key = keys[threadIdx.x], depth = 0;
    while (node < 127 && tree[node] != key) {
        node = 2 * node + (key < tree[node] ? 1 : 2);
        depth++;
    }
    found[threadIdx.x] = node * 100 + depth;
}
""", grid=1, block=64,
     arguments=(_search_tree(127), mixed(64, high=1300, seed=2) // 10 * 10, zeros(64)))

case("bank_transfers_with_a_lock",
     "A spin lock that every thread takes once, threads of one warp included.", """
extern "C" __global__ void k(int *lock, int *balance, const int *from, const int *to,
                             const int *amount, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            volatile int *b = balance;
            b[from[i]] -= amount[i];
            b[to[i]] += amount[i];
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
""", grid=3, block=32,
     arguments=(zeros(1), np.full(10, 1000, np.int32), mixed(90, high=10), mixed(90, high=10, seed=2),
                mixed(90, high=50, seed=3), 90))

case("lock_for_each_bucket",
     "Several locks, so that only threads of the same bucket wait for each other.", """
extern "C" __global__ void k(int *locks, int *sum, int *most, const int *d, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    int b = d[i] % 8;
    bool done = false;
    while (!done) {
        if (!atomicExch(locks + b, 1)) {
            __threadfence();
            ((volatile int *)sum)[b] += d[i];
            if (((volatile int *)most)[b] < d[i])
                ((volatile int *)most)[b] = d[i];
            __threadfence();
            atomicExch(locks + b, 0);
            done = true;
        }
    }
}
""", grid=2, block=64,
     arguments=(zeros(8), zeros(8), zeros(8), mixed(100), 100))

case("work_queue",
     "Threads fetch their next piece of work from an atomic counter.", """
extern "C" __global__ void k(int *next, const int *work, int *result, int n) {
    while (true) {
        int i = atomicAdd(next, 1);
        if (i >= n)
            break;
        int x = work[i], steps = 0;
        while (x != 1) {
            x = x & 1 ? 3 * x + 1 : x / 2;
            steps++;
        }
        result[i] = steps;
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *next = 0;
}
""", grid=1, block=48,
     arguments=(zeros(1), mixed(200, low=1), zeros(200), 200))

case("producer_and_consumer_warps",
     "One warp hands numbers to another through one slot and a flag.", """
extern "C" __global__ void k(int *out, int n) {
    __shared__ volatile int slot, full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++) {
            while (full)
                ;
            slot = i * i + 1;
            __threadfence_block();
            full = 1;
        }
    else if (threadIdx.x == 32)
        for (int i = 0; i < n; i++) {
            while (!full)
                ;
            __threadfence_block();
            out[i] = slot;
            __threadfence_block();
            full = 0;
        }
}
""", grid=1, block=64,
     arguments=(zeros(40), 40),
     expected=lambda out, n: {0: (np.arange(40) ** 2 + 1).astype(np.int32)})

case("breadth_first_search",
     "The levels of a graph, one step for each level until nothing changes.", """
extern "C" __global__ void k(const int *start, const int *edge, int *level, int n) {
    __shared__ int changed;
    int v = threadIdx.x;
    int depth = 0;
    do {
        __syncthreads();
        if (v == 0)
            changed = 0;
        __syncthreads();
        if (v < n && level[v] == depth)
            for (int e = start[v]; e < start[v + 1]; e++)
                if (level[edge[e]] < 0) {
                    level[edge[e]] = depth + 1;
                    changed = 1;
                }
        depth++;
        __syncthreads();
    } while (changed);
}
""", grid=1, block=128,
     arguments=(np.arange(0, 303, 3, dtype=np.int32), mixed(300, high=100, seed=21),
                np.concatenate(([0], np.full(99, -1))).astype(np.int32), 100))

case("union_find",
     "Sets joined by compare-and-swap on the roots of their trees.", """
extern "C" __global__ void k(int *parent, const int *a, const int *b, int n) {
    int i = threadIdx.x;
    if (i < n) {
        int x = a[i], y = b[i];
        while (true) {
            while (parent[x] != x)
                x = ((volatile int *)parent)[x];
            while (parent[y] != y)
                y = ((volatile int *)parent)[y];
            if (x == y)
                break;
            if (x < y) {
                int t = x;
                x = y;
                y = t;
            }
            int old = atomicCAS(parent + x, x, y);
            if (old == x)
                break;
        }
    }
    __syncthreads();
    if (i < 80) {
        int x = i;
        while (parent[x] != x)
            x = parent[x];
        __syncwarp(__activemask());
        parent[i] = x;
    }
}
""", grid=1, block=96,
     arguments=(np.arange(80, dtype=np.int32), mixed(50, high=80), mixed(50, high=80, seed=2), 50))

case("struct_of_particles",
     "An array of structures that are loaded and stored whole.", """
struct P {
    float2 x, v;
    float a;
    int alive;
};

extern "C" __global__ void k(P *p, float dt, int n) {
    int i = threadIdx.x;
    if (i < n) {
        P q = p[i];
        q.v.x += q.a * dt;
        q.v.y -= 9.81f * dt;
        q.x.x += q.v.x * dt;
        q.x.y += q.v.y * dt;
        q.alive = q.x.y > 0;
        p[i] = q;
    }
}
""", grid=1, block=64,
     arguments=(mixed(60 * 6, np.float32, -2, 3), 0.01, 60))

case("system_wide_atomics_and_fences",
     "Atomics and fences of system scope.", """
extern "C" __global__ void k(int *a, int *b) {
    atomicAdd_system(a, threadIdx.x);
    __threadfence_system();
    atomicOr(b, 1 << (threadIdx.x & 31));
    atomicXor(b + 1, threadIdx.x * 77);
}
""", grid=2, block=50,
     arguments=(zeros(1), zeros(2)))
