// Tells whether this process has only one thread. Then data that threads could share can be changed without
// atomic operations.
//
// The C library records it (glibc's __libc_single_threaded, 2.32 and later). It counts threads that
// pthread_create() made, directly or through a library. Without such a C library the answer is false. A
// thread that has started another one gets false from then on. The call costs the load of one byte.
#pragma once

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define BLOOMERY_KNOWS_SINGLE_THREADED 1
#endif
#endif

namespace bloomery {

inline bool process_has_one_thread() {
#if defined(BLOOMERY_KNOWS_SINGLE_THREADED)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace bloomery
