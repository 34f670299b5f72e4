// Whether this process has one thread, which then needs no atomic operation to change what only threads could share.
//
// The C library knows it (glibc's __libc_single_threaded, 2.32 and later): threads that were made by pthread_create() or
// by what is built on it count. Where nobody knows, the answer is no. A thread that asks again after it has made another
// one hears no. Costs the load of a byte.
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
