// Tells the thread sanitizer about contended mutexes.
//
// The quick path of Swift's Mutex is compiled into our own code, where the sanitizer sees its atomic operations. The
// contended path lies in libswiftSynchronization, which is not compiled for it: the sanitizer misses that one thread
// waited for another, and reports races that cannot happen. This library is loaded before it (LD_PRELOAD), passes the
// calls on, and adds what is missing: whoever unlocks releases, whoever has locked acquires, both at the address of the
// very word that the quick path uses. No other edge is added, so that no other race is hidden; Edges.swift checks that.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT_METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

// Absent in programs that the tests start and that are not built for the sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// The runtime's own function behind ours.
static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "MutexEdges: libswiftSynchronization has no %s any more\n", name);
        abort();
    }
    return function;
}

SWIFT_METHOD void lockSlow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT_METHOD void lockSlow(uint32_t thread, SELF) {
    ((SWIFT_METHOD void (*)(uint32_t, SELF))next(LOCK_SLOW))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT_METHOD bool tryLockSlow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT_METHOD bool tryLockSlow(SELF) {
    bool isLocked = ((SWIFT_METHOD bool (*)(SELF))next(TRY_LOCK_SLOW))(self);
    if (isLocked && __tsan_acquire) __tsan_acquire(self);
    return isLocked;
}

SWIFT_METHOD void unlockSlow(SELF) __asm__(UNLOCK_SLOW);
SWIFT_METHOD void unlockSlow(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((SWIFT_METHOD void (*)(SELF))next(UNLOCK_SLOW))(self);
}
