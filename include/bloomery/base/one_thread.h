// Tells whether this process has only one thread. Then no atomic operation is needed to change what threads
// could share.
//
// The C library knows it (glibc's __libc_single_threaded, 2.32 and later). It counts threads that
// pthread_create() made, directly or through a library. Where it is not known, the answer is false. A thread
// that has made another one and asks again gets false. The call costs the load of a byte.
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
