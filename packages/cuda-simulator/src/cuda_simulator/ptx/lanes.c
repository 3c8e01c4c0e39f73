/* Inner loops over lanes that NumPy would need several passes for: an exact multiply-add, loads and stores at many places, and what is
 * known of many addresses at once.
 *
 * Each is the loop of a NumPy universal function (NumPy C-API, "UFunc API"): args[i] is the first element of operand i, steps[i] the
 * bytes from one element to the next, dimensions[0] how many there are. compiled.py, beside this file, makes the functions of them.
 * There is no Python in this library.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef ptrdiff_t integer;
#define PARAMETERS char **args, const integer *dimensions, const integer *steps, void *data
#define AT(type, operand) (*(type *)(args[operand] + i * steps[operand]))

/* LOOP(name) { ... } defines a loop twice: for every processor, and for those of x86-64 that have wider registers and a multiply-add. */
#define BODY(name) static inline __attribute__((always_inline)) void name##_body(PARAMETERS)
#ifdef __x86_64__
#define LOOP(name)                                                                                                        \
    BODY(name);                                                                                                           \
    __attribute__((target("avx2,fma"))) static void name##_here(PARAMETERS) { name##_body(args, dimensions, steps, data); } \
    void name(PARAMETERS) {                                                                                               \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))                                              \
            name##_here(args, dimensions, steps, data);                                                                   \
        else                                                                                                              \
            name##_body(args, dimensions, steps, data);                                                                   \
    }                                                                                                                     \
    BODY(name)
#else
#define LOOP(name)                                                            \
    BODY(name);                                                               \
    void name(PARAMETERS) { name##_body(args, dimensions, steps, data); }     \
    BODY(name)
#endif

/* The one NaN that a GPU writes in single precision (PTX ISA 9.7.3). */
static inline __attribute__((always_inline)) float canonical(float value) {
    union { uint32_t bits; float value; } nan = {0x7FFFFFFF};
    return value == value ? value : nan.value;
}

/* a * b + c, rounded once: the processor's own instruction where it has one, else the C library's function, which is as exact. */
LOOP(lanes_fma_f32) {
    integer count = dimensions[0];
    const float *a = (float *)args[0], *b = (float *)args[1], *c = (float *)args[2];
    float *out = (float *)args[3];
    (void)data;
    if (steps[0] == 4 && steps[1] == 4 && steps[2] == 4 && steps[3] == 4)
        for (integer i = 0; i < count; i++)
            out[i] = canonical(fmaf(a[i], b[i], c[i]));
    else
        for (integer i = 0; i < count; i++)
            AT(float, 3) = canonical(fmaf(AT(float, 0), AT(float, 1), AT(float, 2)));
}

/* Of several NaNs the first operand's: a compiler may swap the factors. */
LOOP(lanes_fma_f64) {
    (void)data;
    for (integer i = 0; i < dimensions[0]; i++) {
        double a = AT(double, 0), b = AT(double, 1), c = AT(double, 2), fused = fma(a, b, c);
        AT(double, 3) = fused == fused ? fused : a != a ? a + a : b != b ? b + b : c != c ? c + c : fused;
    }
}

/* What lies at each place + shift; `data` is the address of place 0. Who calls has checked the places. Sums of addresses are of
 * integers: a place alone, or a shift, may be no address of this process. */
#define LOAD(name, type)                                                                                        \
    LOOP(name) {                                                                                                \
        const integer count = dimensions[0];                                                                    \
        const uintptr_t zero = (uintptr_t)data;                                                                 \
        if (steps[0] == 8 && steps[1] == 0 && steps[2] == sizeof(type)) {                                       \
            const uintptr_t base = zero + *(uint64_t *)args[1];                                                 \
            const uint64_t *places = (uint64_t *)args[0];                                                       \
            type *out = (type *)args[2];                                                                        \
            for (integer i = 0; i < count; i++)                                                                 \
                out[i] = *(const type *)(base + places[i]);                                                     \
        } else                                                                                                  \
            for (integer i = 0; i < count; i++)                                                                 \
                AT(type, 2) = *(const type *)(zero + AT(uint64_t, 0) + AT(uint64_t, 1));                        \
    }
LOAD(lanes_load_8, uint8_t)
LOAD(lanes_load_16, uint16_t)
LOAD(lanes_load_32, uint32_t)
LOAD(lanes_load_64, uint64_t)

/* Write a value to each place + shift, one after another: (n), (), (n) -> (). The result is how many. */
#define STORE(name, type)                                                                                       \
    LOOP(name) {                                                                                                \
        const integer count = dimensions[1], next = steps[4], next_value = steps[5];                            \
        for (integer i = 0; i < dimensions[0]; i++) {                                                           \
            const char *place = &AT(char, 0), *value = &AT(char, 2);                                            \
            const uintptr_t base = (uintptr_t)data + AT(uint64_t, 1);                                           \
            for (integer j = 0; j < count; j++)                                                                 \
                *(type *)(base + *(const uint64_t *)(place + j * next)) = *(const type *)(value + j * next_value); \
            AT(int64_t, 3) = count;                                                                             \
        }                                                                                                       \
    }
STORE(lanes_store_8, uint8_t)
STORE(lanes_store_16, uint16_t)
STORE(lanes_store_32, uint32_t)
STORE(lanes_store_64, uint64_t)

/* Where the bytes of each lane are: piece * stride + offset + origin. Stride and origin are the same for all of them. */
LOOP(lanes_place) {
    const integer count = dimensions[0];
    const int64_t *pieces = (int64_t *)args[0], *offsets = (int64_t *)args[2];
    const int64_t stride = *(int64_t *)args[1], origin = *(int64_t *)args[3];
    int64_t *places = (int64_t *)args[4];
    (void)data;
    if (steps[0] == 8 && steps[1] == 0 && steps[2] == 8 && steps[3] == 0 && steps[4] == 8)
        for (integer i = 0; i < count; i++)
            places[i] = pieces[i] * stride + offsets[i] + origin;
    else
        for (integer i = 0; i < count; i++)
            AT(int64_t, 4) = AT(int64_t, 0) * AT(int64_t, 1) + AT(int64_t, 2) + AT(int64_t, 3);
}

/* The lowest and the highest of the addresses, and the bits that any of them has: (n) -> (), (), (). */
LOOP(lanes_extent) {
    const integer count = dimensions[1], step = steps[4];
    (void)data;
    for (integer i = 0; i < dimensions[0]; i++) {
        const char *at = &AT(char, 0);
        uint64_t low = UINT64_MAX, high = 0, bits = 0;
#define TAKE(one) (low = (one) < low ? (one) : low, high = (one) > high ? (one) : high, bits |= (one))
        if (step == 8)
            for (integer j = 0; j < count; j++)
                TAKE(((const uint64_t *)at)[j]);
        else
            for (integer j = 0; j < count; j++)
                TAKE(*(const uint64_t *)(at + j * step));
        AT(uint64_t, 1) = low;
        AT(uint64_t, 2) = high;
        AT(uint64_t, 3) = bits;
    }
}
