// The keys that are written through this guard and that the filter may not contain yet.
//
//   begin ──> open ──> ended at a time ──> removed once the filter's horizon is past that time
//
// A query for a held key passes, whatever the filter says. So a caller reads its own writes, even if only a
// remote feeder writes to the filter, and even if a rebuild began its scan between begin and commit. Rows
// committed before the horizon are in the filter, so an ended write may then be removed.
//
// Order: a caller must call holds() before it queries the filter. If the key was removed before that call,
// the filter queried afterwards contains it.
//
// At most `most_keys` are held. Beyond that, is_blind() returns true: no *no* of the filter may be trusted
// until its horizon is past the last write that was not held.
//
// Threads: all calls may run together.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bloomery/hash/hash128.h"

namespace bloomery::guard {

class OpenWrites {
 public:
  OpenWrites(std::uint64_t most_keys, const HashSpec& hash) : most_keys_(most_keys), hash_(hash) {}

  // Returns true if the key is held; pass this to end().
  bool begin(std::string_view key);
  void end(std::string_view key, bool is_held, std::int64_t now_ns);

  bool holds(std::string_view key);
  bool is_blind(std::int64_t horizon_ns) const;
  void note_horizon(std::int64_t horizon_ns);

  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kParts = 64;

  struct Held {
    std::uint32_t open = 0;
    std::int64_t end_ns = 0;  // when the last finished write ended
  };
  struct alignas(64) Part {
    std::mutex mutex;  // guards all members
    std::unordered_map<std::string, Held> keys;
    std::deque<std::pair<std::int64_t, std::string>> ended;  // in the order of their ends
  };

  Part& part_of(std::string_view key) { return parts_[hash_bytes(key, hash_).low % kParts]; }
  void forget_covered(Part& part);

  std::uint64_t most_keys_;
  HashSpec hash_;
  std::array<Part, kParts> parts_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::int64_t> horizon_ns_{0};
  std::atomic<std::uint64_t> unheld_{0};         // number of open writes that are not held
  std::atomic<std::int64_t> unheld_end_ns_{-1};  // when the last unheld write ended
};

}  // namespace bloomery::guard
