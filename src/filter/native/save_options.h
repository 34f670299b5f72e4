// Converts the save options of the library's caller to options of the file system.
#pragma once

#include "base/atomic_file.h"
#include "bloomery/base/file_lock.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery {

inline SaveOptions save_options(const SaveTo& to) {
  return {.if_exists = to.replace ? IfExists::kReplace : IfExists::kRefuse,
          .cancelled = to.cancelled,
          .lock = to.lock != nullptr ? to.lock->file() : nullptr};
}

}  // namespace bloomery
