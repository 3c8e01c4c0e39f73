/* The stand-in libcuda.so.1: every function of the CUDA driver API, each one a jump through a slot.
 *
 * PyCUDA and cuda-bindings are linked against, or look for, a library whose SONAME is libcuda.so.1. This one
 * has the names and no behaviour: library.py, beside this file, fills the slots with functions written in
 * Python. A slot that nobody fills answers CUDA_ERROR_NOT_SUPPORTED, never a crash and never a false success.
 *
 * The jumps are written in assembly because a jump, unlike a call, needs no prototype: registers and stack
 * reach the function behind the slot exactly as the caller left them, whatever its arguments are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#define CUDA_ERROR_NOT_INITIALIZED 3
#define CUDA_ERROR_DEINITIALIZED 4
#define CUDA_ERROR_NOT_SUPPORTED 801

static int not_initialized(void) { return CUDA_ERROR_NOT_INITIALIZED; }
static int deinitialized(void) { return CUDA_ERROR_DEINITIALIZED; }
static int not_supported(void) { return CUDA_ERROR_NOT_SUPPORTED; }

#if defined(__x86_64__)
#define JUMP(name) "jmp *slot_" #name "(%rip)\n"
#elif defined(__aarch64__)
/* x16 is the register that the ABI leaves to code between a caller and the function it calls. */
#define JUMP(name) "adrp x16, slot_" #name "\n ldr x16, [x16, #:lo12:slot_" #name "]\n br x16\n"
#else
#error "stand_in.c knows x86-64 and aarch64; add the jump for this processor"
#endif

#define FUNCTION(name, since)                                              \
    __attribute__((visibility("hidden"))) void *slot_##name = not_supported; \
    __asm__(".text\n .globl " #name "\n .type " #name ", %function\n"      \
            #name ":\n" JUMP(name) ".size " #name ", . - " #name "\n");     \
    extern int name(void);
#include "stand_in_names.h"
#undef FUNCTION

/* What Python reads: each function's name, its address, the CUDA version that brought it, and where its slot is.
 * Ends with a null name. */
struct stand_in_entry {
    const char *name;
    void *function;
    int since;
    void **slot;
};

#define FUNCTION(name, since) {#name, name, since, &slot_##name},
__attribute__((visibility("default"))) struct stand_in_entry stand_in_entries[] = {
#include "stand_in_names.h"
    {NULL, NULL, 0, NULL}};
#undef FUNCTION

/* What C++ destructors call to give things back. When Python has ended, so has the simulated driver, and everything
 * is given back already: these succeed. PyCUDA ends the process with std::terminate where they do not. */
static const char *const releases[] = {
    "cuCtxDestroy_v2", "cuCtxDetach", "cuCtxPopCurrent_v2", "cuCtxPushCurrent_v2", "cuCtxSetCurrent", "cuCtxSynchronize",
    "cuDevicePrimaryCtxRelease_v2", "cuEventDestroy_v2", "cuLinkDestroy", "cuMemAddressFree", "cuMemFreeAsync", "cuMemFreeHost",
    "cuMemFree_v2", "cuMemHostUnregister", "cuMemRelease", "cuMemUnmap", "cuModuleUnload", "cuStreamDestroy_v2",
    "cuStreamSynchronize"};

static int success(void) { return 0; }

static int shutting_down(int error, const char **text) {
    (void)error;
    *text = "driver shutting down";
    return 0;
}

/* Called when Python exits: destructors of C++ objects still call in, and must not reach a dead interpreter. */
__attribute__((visibility("default"))) void stand_in_close(void) {
    for (struct stand_in_entry *entry = stand_in_entries; entry->name; entry++) {
        *entry->slot = deinitialized;
        if (!strcmp(entry->name, "cuGetErrorString") || !strcmp(entry->name, "cuGetErrorName")) *entry->slot = shutting_down;
        for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
            if (!strcmp(entry->name, releases[i])) *entry->slot = success;
    }
}

/* Called in a forked child, where the driver of the parent is not usable: CUDA answers the same. */
__attribute__((visibility("default"))) void stand_in_forked(void) {
    for (struct stand_in_entry *entry = stand_in_entries; entry->name; entry++)
        if (strcmp(entry->name, "cuGetErrorString") && strcmp(entry->name, "cuGetErrorName")) *entry->slot = not_initialized;
}

/* Bytes at an address that may be wrong: the kernel does the copy and answers EFAULT where a plain copy would be a
 * segmentation fault. 0, or an errno (EPERM or ENOSYS where a sandbox forbids the call). */
__attribute__((visibility("default"))) int stand_in_read(void *here, void *there, size_t size) {
    struct iovec local = {here, size}, remote = {there, size};
    ssize_t moved = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    return moved == (ssize_t)size ? 0 : moved < 0 ? errno : EFAULT;
}

/* The same for results, which every call has: the kernel first writes random bytes there, which takes half the time of
 * process_vm_writev and says as surely whether the address can be written. */
__attribute__((visibility("default"))) int stand_in_write(void *there, const void *here, size_t size) {
    for (size_t done = 0; done < size; done += 256) {
        size_t piece = size - done < 256 ? size - done : 256;
        if (getrandom((char *)there + done, piece, 0) != (ssize_t)piece) return EFAULT;
    }
    memcpy(there, here, size);
    return 0;
}
