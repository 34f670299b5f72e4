// Limits the memory that an opened file may use.
//
// The default limit depends on the actual size of the file, not on the size that it claims. A few bytes of
// Zstandard can claim 32,768 times as many. The limit applies to the sum of all memory for the file. An
// error (kCapacity) names the file, the section that did not fit, and the limit. src/base/README.md lists
// what is charged.
#pragma once

#include <cstdint>

namespace bloomery {

struct FileMemory {
  // 0 means the larger of 256 MiB and four times the bytes of the file. Every file of a regular writer fits
  // in this, because its indexes and filters are in the file and do not compress well.
  std::uint64_t limit_bytes = 0;
};

}  // namespace bloomery
