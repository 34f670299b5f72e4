// What filters of every type are made with, opened with and saved with.
#pragma once

#include <atomic>
#include <cstdint>

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"

namespace bloomery {

// On disk since format version 1; never renumber.
enum class FilterType : std::uint16_t {
  kBloom = 1,
  kBlocked = 2,
  kRibbon = 3,
  kCounting = 4,
  kQuotient = 5,
  kScalable = 6,
  kWindowed = 7,
  kExact = 8,
};

// Returns the name that `-t` takes and `inspect` shows, "bloom", "blocked", "ribbon", "counting",
// "quotient", "scalable", "windowed" or "exact"; "unknown" for any other number.
const char* filter_type_name(FilterType type);

// Everything that decides how a key becomes bits; two filters can merge only when it is equal.
struct FilterOptions {
  HashSpec hash = {};
  KeyTreatment keys =
      {};  // recorded for tools that read text; the library's typed keys are not changed by it
};

enum class Access {
  kMap,   // the file's bytes, mapped read-only: no copy, opens in the time of the checksum
  kCopy,  // in memory of its own, on huge pages above a few MiB, writable; the file is not touched again
  kUpdateInPlace,  // mapped writable and locked; see BloomFilter::finish_update()
  kMapLocked,      // as kMap, and locked as long as the filter lives: for one that is saved over itself
  kCopyLocked,     // as kCopy, and locked likewise
};

enum class Verify {
  kChecksums,   // every byte, in one pass
  kHeaderOnly,  // trusts the payload: a damaged one may then give any answer
};

struct OpenOptions {
  Access access = Access::kMap;
  Verify verify = Verify::kChecksums;
  // Opens a file that an interrupted update left dirty, whose payload checksum therefore proves nothing. A
  // counting filter is then copied also for kMap, and its keys stay for ever: CountingBloomFilter::open().
  bool accept_dirty = false;
  // Of a filter that is keyed: its secret, which must be the right one. Filters that are not keyed pass it
  // over.
  const HashSecret* secret = nullptr;
  // Opens a keyed filter whose keys will not be hashed: to be looked at, merged or copied.
  bool without_secret = false;
};

// Whether other threads may touch the filter during a call.
enum class Sharing { kShared, kExclusive };

struct SaveTo {
  bool replace = false;  // an existing file
  // When it becomes true, the save stops and leaves nothing behind.
  const std::atomic<bool>* cancelled = nullptr;
};

}  // namespace bloomery
