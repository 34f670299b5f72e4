#include "dedup/memory_bound.h"

#include <fstream>

#include "base/memory.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kLeastFilterBytes = std::uint64_t{64} << 10;

// Reads a field such as "Name:   123 kB" from /proc/self/status or smaps_rollup. Returns bytes; 0 if it is
// missing.
std::uint64_t field_of(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == name && file >> kilobytes) {
      return kilobytes * 1024;
    }
  }
  return 0;
}

}  // namespace

std::uint64_t resident_bytes() {
  // The counters of `status` lag by some pages for each processor. `smaps_rollup` walks the page table, which
  // is exact.
  const std::uint64_t exact = field_of("/proc/self/smaps_rollup", "Rss:");
  return exact != 0 ? exact : field_of("/proc/self/status", "VmRSS:");
}

std::uint64_t most_resident_bytes() {
  return field_of("/proc/self/status", "VmHWM:");
}

Status check_memory_for(std::uint64_t more, const std::string& what) {
  constexpr std::uint64_t kUnremarkable = std::uint64_t{16} << 20;  // below this a check is not worth it
  if (more < kUnremarkable) {
    return {};
  }
  const std::uint64_t limit = memory_limit_bytes();
  const std::uint64_t used = field_of("/proc/self/status", "VmRSS:");  // nearly exact, and cheap at any size
  if (used + more <= limit) {
    return {};
  }
  return Error::capacity("memory", "expected room for " + what + ", which need " + std::to_string(more) +
                                       " bytes more: this process has " + std::to_string(used) +
                                       " and can have " + std::to_string(limit) +
                                       "; --max-mem SIZE keeps to a bound, --hash64 needs less than --exact");
}

Error no_memory(const std::string& what) {
  return Error::capacity("memory", "expected room for " + what +
                                       ", refused by the system; --max-mem SIZE keeps "
                                       "to a bound, --hash64 needs less than --exact");
}

Result<std::uint64_t> MemoryBound::filter_bytes(std::uint64_t resident) const {
  const std::uint64_t taken = resident + reserve;
  if (limit < taken + kLeastFilterBytes) {
    constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
    const std::uint64_t least = (taken + kLeastFilterBytes + kMebibyte - 1) / kMebibyte + 1;
    return Error::invalid_argument(
        "--max-mem", "expected at least " + std::to_string(least) + "M, since the process has " +
                         std::to_string(resident) + " bytes without a filter and its lines may take " +
                         std::to_string(reserve) + "; found " + std::to_string(limit) + " bytes");
  }
  return limit - taken;
}

}  // namespace bloomery
