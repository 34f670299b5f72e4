// How much memory may be kept of one opened file.
//
// What is kept follows the bytes that the file has, not what it claims: a few bytes of Zstandard can claim
// 32,768 times as many. The sum is bounded, and an error (kCapacity) names the file, the part that did not
// fit, and the limit. What is charged is listed in src/base/README.md.
#pragma once

#include <cstdint>

namespace bloomery {

struct FileMemory {
  // 0: the larger of 256 MiB and four times the bytes of the file, which a file of any size that a writer
  // made fits in: its indexes and filters are a part of it, and do not compress well.
  std::uint64_t limit_bytes = 0;
};

}  // namespace bloomery
