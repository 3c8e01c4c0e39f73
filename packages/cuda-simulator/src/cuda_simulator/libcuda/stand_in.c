/* The stand-in libcuda.so.1: every function of the CUDA driver API, each one a call through a slot.
 *
 * PyCUDA and cuda-bindings are linked against, or look for, a library whose SONAME is libcuda.so.1. This one
 * has the names and no behaviour: library.py, beside this file, fills the slots with functions written in
 * Python. A slot that nobody fills answers CUDA_ERROR_NOT_SUPPORTED, never a crash and never a false success.
 *
 * One prototype serves all functions. In the calling conventions of x86-64 and of AArch64, arguments that are
 * integers or pointers and arguments that are floating point are counted apart, and a function may be given more
 * than it takes: so each function passes on the most that any has, and one floating-point number. The most are fourteen
 * words: cuIpcOpenMemHandle takes a structure of eight, which x86-64 puts behind the six that are in registers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "make sure that one prototype serves all functions on this processor too"
#endif

#define CUDA_ERROR_NOT_INITIALIZED 3
#define CUDA_ERROR_DEINITIALIZED 4
#define CUDA_ERROR_NOT_SUPPORTED 801
#define CUDA_ERROR_UNKNOWN 999

#define PARAMETERS                                                                                           \
    uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h, \
        uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l, uintptr_t m, uintptr_t n, double x
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, x

typedef int (*function)(PARAMETERS);

#define ANSWER(name, value) \
    static int name(PARAMETERS) { \
        (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j, (void)k, (void)l, (void)m, (void)n, \
            (void)x; \
        return value; \
    }
ANSWER(success, 0)
ANSWER(not_initialized, CUDA_ERROR_NOT_INITIALIZED)
ANSWER(deinitialized, CUDA_ERROR_DEINITIALIZED)
ANSWER(not_supported, CUDA_ERROR_NOT_SUPPORTED)

static int shutting_down(PARAMETERS) {
    (void)a, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j, (void)k, (void)l, (void)m, (void)n, (void)x;
    *(const char **)b = "driver shutting down";
    return 0;
}

static int no_context(PARAMETERS) {
    (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j, (void)k, (void)l, (void)m, (void)n, (void)x;
    *(void **)a = NULL;
    return 0;
}

/* Python's own functions for its lock, and for the exception that is on its way in this thread. The slots lead into Python, and
 * Python must not be entered while there is one; yet C++ destructors, which an exception runs, call the driver. Some of them
 * let go of the lock first, so it is taken here, and not left to the slot. */
static struct {
    int (*take_lock)(void);     /* UNLOCKED: this thread had let go of it */
    void (*release_lock)(int state);
    void (*fetch)(void **type, void **value, void **traceback);
    void (*restore)(void *type, void *value, void *traceback);
    void *(*state_of_thread)(void);
    void *(*leave)(void);
    void (*enter)(void *state);
    void (*clear)(void *state);
    void (*forget_current)(void);
    int (*add_pending_call)(int (*function)(void *), void *argument);
    void *(*call)(void *function, const char *format, ...);
    void *(*item)(void *dictionary, const char *key);
    long (*number)(void *object);
    int (*is_text)(void *object, const char *text);     /* 0: it is */
    void (*drop)(void *object);
    int (*collects)(void);
    int (*check_signals)(void);
    void *get_objects, *collect, *remove_callback, *append_callback, *callback_first;   /* of the module gc */
    void *before_collecting, *collecting;               /* its callbacks: stand_in_ and these names */
} python;

/* A thread that Python did not start has a state of Python's only while it holds the lock, and what is current on it (state.py) would
 * go with that state. So it keeps one until it ends. */
static pthread_key_t kept_state;
static __thread int keeps_state, calls_under_way;
static int *calls_of_main;      /* calls_under_way of the main thread */

static void end_of_thread(void *state) {
    if (!python.take_lock) return;
    python.enter(state);
    python.clear(state);
    python.forget_current();    /* not PyGILState_Release, which asks for what this thread has forgotten by now */
}

static void keep_state(void) {
    keeps_state = 1;
    if (gettid() == getpid()) calls_of_main = &calls_under_way;
    if (python.state_of_thread()) return;
    python.take_lock();
    pthread_setspecific(kept_state, python.leave());
}

/* An exception of a signal's handler that ran while a call waited. It cannot go through C, and C may have let go of Python's lock. So it
 * is kept until the call has returned, and the main thread's next Python code raises it (interrupts.py). A call that only waited then
 * succeeds: PyCUDA and cuda.core would make an exception of their own of an error, and `except KeyboardInterrupt` around the call
 * would never see the handler's. The kernel was ended, and every later call says so. */
struct exception {
    void *type, *value, *traceback;
};
static __thread struct exception *kept_exception;

static struct exception *keep(void *type, void *value, void *traceback) {
    struct exception *exception = malloc(sizeof *exception);
    if (exception) *exception = (struct exception){type, value, traceback};
    return exception;
}

__attribute__((visibility("default"))) void stand_in_raise_later(void *type, void *value, void *traceback) {
    if (!kept_exception) kept_exception = keep(type, value, traceback);
}

static int raise_kept(void *kept) {
    if (calls_under_way) {      /* a C++ program called again before any of Python's code ran */
        kept_exception = kept;
        return 0;
    }
    struct exception exception = *(struct exception *)kept;
    free(kept);
    python.restore(exception.type, exception.value, exception.traceback);
    return -1;
}

/* Python collects garbage in whatever thread allocates, and finalizers call the driver. In the midst of a call they would find its tables
 * half changed, wait for a lock or for work of their own thread, or come into a C++ program that waits for the call; in a stream's thread,
 * where PyCUDA gives nothing back, they would wait for the work that they interrupt. On a GPU neither is met. So what is collected there
 * is found alive, because a list has it while Python looks, and is looked at again: by the main thread as soon as it runs Python's code
 * outside of a call, or at the end of a call whose caller had let go of Python's lock, and so bears whatever Python does meanwhile. */
#define OLDEST 2
#define UNLOCKED 1
static void *kept_alive[OLDEST + 1];
static int owed = -1;       /* the oldest generation that is to be looked at again */

static int collect_what_is_owed(void *nothing) {
    (void)nothing;
    if (calls_under_way || owed < 0) return 0;
    int generation = owed;
    owed = -1;
    if (!python.collects()) return 0;
    void *collected = python.call(python.collect, "i", generation);
    if (!collected) return -1;
    python.drop(collected);
    return 0;
}

static void call_with(void *function, void *argument) {
    void *result = python.call(function, "O", argument), *exception[3] = {NULL, NULL, NULL};
    if (!result) python.fetch(&exception[0], &exception[1], &exception[2]);
    for (int i = 0; i < 3; i++)
        if (exception[i]) python.drop(exception[i]);
    if (result) python.drop(result);
}

static void let_go(void) {
    for (int i = 0; i <= OLDEST; i++) {
        void *list = kept_alive[i];
        kept_alive[i] = NULL;
        if (list) python.drop(list);
    }
}

/* Two of gc.callbacks. Other threads may run in a callback that is written in Python: before the collection they would leave garbage that
 * no list has, and after it, let go of what then only a list has, which would end with the list, in this thread. So the second is the
 * last of all, and the first, which lets go of the lists, the first. It puts both there. Neither is in Python, where a signal's
 * handler could raise, and nobody would hear it. The lock is held, and none of Python's code runs from the second to the first. */
__attribute__((visibility("default"))) void stand_in_before_collecting(void *phase, void *info) {
    (void)info;
    if (!python.take_lock) return;
    if (python.is_text(phase, "start")) {
        let_go();
        return;
    }
    if (!calls_under_way) return;
    call_with(python.remove_callback, python.before_collecting);
    call_with(python.callback_first, python.before_collecting);
    call_with(python.remove_callback, python.collecting);
    call_with(python.append_callback, python.collecting);
}

__attribute__((visibility("default"))) void stand_in_collecting(void *phase, void *info) {
    if (!calls_under_way || !python.take_lock || python.is_text(phase, "start")) return;
    int generation = python.number(python.item(info, "generation"));
    for (int i = 0; i <= (generation ? OLDEST : 0); i++) kept_alive[i] = python.call(python.get_objects, "i", i);
    int survivors = generation < OLDEST ? generation + 1 : OLDEST;
    if (owed < survivors) owed = survivors;
    python.add_pending_call(collect_what_is_owed, NULL);
}

/* Python's handler in C has the main thread run the handler in Python at its next instruction. While that thread is in a call, one of our
 * own is before it, which only notes that the signal came. */
static void (*handler_of[_NSIG])(int);
static volatile sig_atomic_t came[_NSIG], some_came;

static void in_time(int number) {
    came[number] = some_came = 1;
    if (calls_of_main && *calls_of_main) return;
    came[number] = 0;
    handler_of[number](number);
}

static void pass_on(void) {
    if (!some_came || &calls_under_way != calls_of_main) return;
    some_came = 0;
    for (int number = 1; number < _NSIG; number++)
        if (came[number]) {
            came[number] = 0;
            handler_of[number](number);
        }
}

/* Python has set its handler of this signal. */
__attribute__((visibility("default"))) void stand_in_put_off(int number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) || action.sa_handler == in_time || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
    handler_of[number] = action.sa_handler;
    action.sa_handler = in_time;
    sigaction(number, &action, NULL);
}

__attribute__((visibility("default"))) void stand_in_let_handlers_run(void) {
    pass_on();
    if (python.check_signals) python.check_signals();
}

static void in_forked_child(void) { calls_of_main = &calls_under_way; }     /* the thread that forked is the main one there */

/* A thread does what the driver does without being called: a stream's to its end, a program's while it asks what no call tells. */
__attribute__((visibility("default"))) void stand_in_enter(void) { calls_under_way++; }
__attribute__((visibility("default"))) void stand_in_leave(void) {
    if (!--calls_under_way) pass_on();
}

__attribute__((visibility("default"))) void stand_in_lock(const void *functions) {
    static int has_key;
    if (!has_key) has_key = pthread_key_create(&kept_state, end_of_thread) == 0;
    memcpy(&python, functions, sizeof python);
}

__attribute__((noinline)) static int call(function slot, PARAMETERS) {
    void *type, *value, *traceback;
    if (!python.take_lock) return slot(ARGUMENTS);
    if (!keeps_state) keep_state();
    int state = python.take_lock();
    python.fetch(&type, &value, &traceback);
    struct exception *came_before = NULL;
    if (!calls_under_way++ && &calls_under_way == calls_of_main && python.check_signals()) {     /* else the slot's first instruction would */
        void *its_type, *its_value, *its_traceback;
        python.fetch(&its_type, &its_value, &its_traceback);
        came_before = keep(its_type, its_value, its_traceback);
    }
    int result = slot(ARGUMENTS);
    if (!--calls_under_way) pass_on();
    if (came_before) python.add_pending_call(raise_kept, came_before);
    if (kept_exception && !calls_under_way) {
        python.add_pending_call(raise_kept, kept_exception);
        kept_exception = NULL;
        if (result != CUDA_ERROR_UNKNOWN) result = 0;      /* UNKNOWN: the handler cut the call itself short (library.py) */
    }
    if (owed >= 0 && !calls_under_way) state == UNLOCKED ? collect_what_is_owed(NULL) : python.add_pending_call(collect_what_is_owed, NULL);
    python.restore(type, value, traceback);
    python.release_lock(state);
    return result;
}

#define FUNCTION(name, since)                \
    static function slot_##name = not_supported; \
    __attribute__((visibility("default"))) int name(PARAMETERS) { return call(slot_##name, ARGUMENTS); }
#include "stand_in_names.h"
#undef FUNCTION

/* A program that is none of Python's finds no driver behind the names, and is told how it gets one. */
static int no_python(PARAMETERS) {
    fputs("cuda_simulator: this libcuda.so.1 has its functions in Python, and no Python has attached them. Build a C or C++ program as a shared "
          "library, and call it by ctypes under `python -m cuda_simulator` (the README, \"Good to know\").\n", stderr);
    return not_supported(ARGUMENTS);
}

__attribute__((constructor)) static void until_python_attaches(void) {
    slot_cuInit = no_python;
    pthread_atfork(NULL, NULL, in_forked_child);
}

/* What Python reads: each function's name, its address, the CUDA version that brought it, and where its slot is.
 * Ends with a null name. */
struct stand_in_entry {
    const char *name;
    function function;
    int since;
    function *slot;
};

#define FUNCTION(name, since) {#name, name, since, &slot_##name},
__attribute__((visibility("default"))) struct stand_in_entry stand_in_entries[] = {
#include "stand_in_names.h"
    {NULL, NULL, 0, NULL}};
#undef FUNCTION

/* What C++ destructors call to give things back. When Python has ended, so has the simulated driver, and everything
 * is given back already: these succeed. PyCUDA ends the process with std::terminate where they do not, and cuda.core warns. */
static const char *const releases[] = {
    "cuCtxDestroy", "cuCtxDestroy_v2", "cuCtxDetach", "cuCtxPopCurrent", "cuCtxPopCurrent_v2", "cuCtxPushCurrent", "cuCtxPushCurrent_v2", "cuCtxSetCurrent", "cuCtxSynchronize",
    "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", "cuEventDestroy", "cuEventDestroy_v2", "cuLibraryUnload", "cuLinkDestroy", "cuMemAddressFree", "cuMemFreeAsync",
    "cuMemFreeHost", "cuMemFree_v2", "cuMemHostUnregister", "cuMemPoolDestroy", "cuMemRelease", "cuMemUnmap", "cuModuleUnload",
    "cuStreamDestroy", "cuStreamDestroy_v2", "cuStreamSynchronize"};

/* Called when Python exits: destructors of C++ objects still call in, and must not reach a dead interpreter. */
__attribute__((visibility("default"))) void stand_in_close(void) {
    python.take_lock = NULL;
    for (struct stand_in_entry *entry = stand_in_entries; entry->name; entry++) {
        *entry->slot = deinitialized;
        if (!strcmp(entry->name, "cuGetErrorString") || !strcmp(entry->name, "cuGetErrorName")) *entry->slot = shutting_down;
        if (!strcmp(entry->name, "cuCtxGetCurrent")) *entry->slot = no_context;      /* cuda.core asks it before it gives back */
        for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
            if (!strcmp(entry->name, releases[i])) *entry->slot = success;
    }
}

/* Called in a forked child, where the driver of the parent is not usable: CUDA answers the same. */
__attribute__((visibility("default"))) void stand_in_forked(void) {
    python.take_lock = NULL;
    for (struct stand_in_entry *entry = stand_in_entries; entry->name; entry++)
        if (strcmp(entry->name, "cuGetErrorString") && strcmp(entry->name, "cuGetErrorName") &&
            strcmp(entry->name, "cuDriverGetVersion"))
            *entry->slot = not_initialized;
}

/* Bytes at an address that may be wrong: the kernel does the copy and answers EFAULT where a plain copy would be a
 * segmentation fault. 0, or an errno (EPERM or ENOSYS where a sandbox forbids the call). */
__attribute__((visibility("default"))) int stand_in_read(void *here, void *there, size_t size) {
    struct iovec local = {here, size}, remote = {there, size};
    ssize_t moved = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    return moved == (ssize_t)size ? 0 : moved < 0 ? errno : EFAULT;
}

/* The same for results, which every call has: the kernel first writes random bytes there, which takes half the time of
 * process_vm_writev and says as surely whether the address can be written. By the call itself: the C library's
 * getrandom() may write them without the kernel (glibc 2.41 does), and a wrong address would end the process. */
__attribute__((visibility("default"))) int stand_in_write(void *there, const void *here, size_t size) {
    for (size_t done = 0; done < size; done += 256) {
        size_t piece = size - done < 256 ? size - done : 256;
        if (syscall(SYS_getrandom, (char *)there + done, piece, 0) != (long)piece) return EFAULT;
    }
    memcpy(there, here, size);
    return 0;
}
