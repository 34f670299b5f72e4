// The limit of the memory that may be kept for one opened file.
//
// The memory follows the bytes that the file has, not the size that it claims. A few bytes of Zstandard can
// claim 32,768 times as many. The sum is bounded. An error (kCapacity) names the file, the part that did not
// fit, and the limit. src/base/README.md lists what is charged.
#pragma once

#include <cstdint>

namespace bloomery {

struct FileMemory {
  // 0 means the larger of 256 MiB and four times the bytes of the file. Every file that a regular writer made
  // fits in this, since its indexes and filters are a part of it and do not compress well.
  std::uint64_t limit_bytes = 0;
};

}  // namespace bloomery
