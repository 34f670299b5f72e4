// Turns std::bad_alloc into an error, for those who must not throw: the public calls, the leader of a group
// of writes, and background work.
//
// The error needs no memory itself, because its texts fit into their strings. within_memory()
// (base/memory_budget.h) names a file, and needs some.
#pragma once

#include <new>

#include "bloomery/base/error.h"

namespace bloomery::store {

// Runs `work`, a callable that returns a Result. Errors: those of `work`; kCapacity.
template <typename Work>
auto or_no_memory(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kCapacity, "memory", "no more of it");
  }
}

}  // namespace bloomery::store
