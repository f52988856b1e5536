#include "AllocationCounter.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static __thread int is_counting;
static __thread int64_t count;

void descant_begin_counting_allocations(void) {
  count = 0;
  is_counting = 1;
}

#ifdef SANITIZED

// Sanitizers bring an allocator of their own.
int64_t descant_end_counting_allocations(void) { return -1; }

#else

int64_t descant_end_counting_allocations(void) {
  is_counting = 0;
  return count;
}

// A program's own allocator stands before the C library's for everything that it links.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size) {
  if (is_counting) count++;
  return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t number, size_t size) {
  if (is_counting) count++;
  return __libc_calloc(number, size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size) {
  if (is_counting) count++;
  return __libc_realloc(block, size);
}

__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t size) {
  if (is_counting) count++;
  return __libc_memalign(alignment, size);
}

__attribute__((visibility("default"))) void *memalign(size_t alignment, size_t size) {
  if (is_counting) count++;
  return __libc_memalign(alignment, size);
}

__attribute__((visibility("default"))) int posix_memalign(void **block, size_t alignment, size_t size) {
  if (is_counting) count++;
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

#endif
