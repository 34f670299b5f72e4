// The options for making, opening and saving filters of every type.
//
// Example:
//    auto dense = BlockedBloomFilter::for_capacity(1'000'000, 0.01, {.setting = BlockedSetting::kDense});
//    auto copy = BlockedBloomFilter::open("keys.filter", {.access = Access::kCopy});
//
// One struct of options serves all types, so that a program can change the type and keep the call. Three
// options select another filter: setting, growth_doublings and window. A type that does not have one of
// them refuses it by name. The options clock and threads have no effect on a type that reads no clock or
// builds with one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/file_lock.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/window.h"
#include "bloomery/filter/window_clock.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"

namespace bloomery {

// These numbers are in files since format version 1; never renumber them.
enum class FilterType : std::uint16_t {
  kBloom = 1,
  kBlocked = 2,
  kRibbon = 3,
  kCounting = 4,
  kQuotient = 5,
  kScalable = 6,
  kWindowed = 7,
  kExact = 8,
  kFuse = 9,
};

// Returns true for the types that are built from all their keys, in shards, and never change.
constexpr bool is_static_type(FilterType type) {
  return type == FilterType::kRibbon || type == FilterType::kFuse;
}

// Returns the name that `-t` accepts and `inspect` shows: "bloom", "blocked", "ribbon", "counting",
// "quotient", "scalable", "windowed", "exact" or "fuse". Returns "unknown" for any other number.
const char* filter_type_name(FilterType type);
// Returns the filter type with this number in files, or nothing if the number is unknown.
std::optional<FilterType> filter_type_of(std::uint16_t number);

// The positions where the windows of a blocked filter may begin. The number is a stride in bytes, stored in
// files since format version 1. A fuse filter has 3 cells for a key if it is fast, 4 if it is dense.
enum class BlockedSetting : std::uint16_t {
  kFast = 64,  // at a multiple of a cache line
  kDense = 8,  // at any word
};

// Returns "fast" or "dense", or "unknown" for any other number.
const char* blocked_setting_name(BlockedSetting setting);
// Returns the type's name. For a blocked filter the setting is included: "blocked:fast" or "blocked:dense". A
// dense fuse filter is "fuse:dense".
std::string filter_type_name(FilterType type, BlockedSetting setting);

// The options of a new filter. Two filters can merge only if everything that decides how a key becomes bits
// is equal.
struct FilterOptions {
  HashSpec hash = {};
  // The rule by which tools turn text into keys. The file records it. NativeFilter::key_of() applies it to
  // text; it does not affect typed keys of the library.
  KeyTreatment keys = {};
  // For blocked, scalable, windowed and fuse filters.
  BlockedSetting setting = BlockedSetting::kFast;
  // For quotient filters: how often the capacity may double before the fpp rises above its target. Each
  // doubling costs one more bit per key.
  std::uint32_t growth_doublings = 0;
  // For windowed filters, which require one.
  Window window = {};
  // For windowed filters by age: the clock that they read. The filter copies it. Null means
  // read_machine_clock().
  const WindowClock* clock = nullptr;
  // For ribbons and fuse filters: the number of threads that build. 0 means the machine's hardware
  // concurrency. One thread builds filters of other types.
  unsigned threads = 0;
};

// Errors: kInvalidArgument, naming the option, if setting, growth_doublings or window is set and a filter
// of this type does not have it. kInvalidArgument for keys of 0 parts.
Status check_options(FilterType type, const FilterOptions& options);

enum class Access {
  // Maps the file without a copy; opening costs the time of the checksum. Pages that are written to are
  // copied (copy-on-write), and the file does not change. The machine may run out of memory for these pages
  // without an error. Another process may update the file in place during const calls, which answer maybe
  // to every key that is not removed. Changing, saving or merging the filter requires that nobody changes
  // the file.
  kMap,
  // Copies the file to memory, to huge pages above a few MiB; the file is not read again. But a windowed
  // filter is mapped if another process is updating it.
  kCopy,
  kUpdateInPlace,  // maps the file for writing, and locks it; see NativeFilter::finish_update()
  kMapLocked,      // like kMap, and locks the file while the filter lives, so that save() may replace it
  kCopyLocked,     // like kCopy, and locks the file while the filter lives
};

// Decides how an open with Access::kMap or kCopy behaves while another process updates the file in place.
enum class WhileUpdated {
  // Opens the file for queries; see NativeFilter::opened_during_update(). The payload is not verified. The
  // other process verified it before it began.
  kServe,
  kRefuse,  // is an error, kIo with EWOULDBLOCK
};

enum class Verify {
  kChecksums,   // verifies every byte, in one pass
  kHeaderOnly,  // trusts the payload; with a damaged one any answer is possible
};

// Says how the program makes the keys of a filter that it opens, if the file records that they were not
// plain text or bytes (`bloomery build --key-form hex`, `-i`, `--trim`, `-k 1,2`). See
// NativeFilter::key_of().
enum class RecordedKeys {
  kRefuse,  // does not open such a filter: queries for plain text would be false negatives
  kKnown,   // the program queries by key_of(), or with the exact bytes that were hashed
};

struct OpenOptions {
  Access access = Access::kMap;
  Verify verify = Verify::kChecksums;
  RecordedKeys recorded_keys = RecordedKeys::kRefuse;
  WhileUpdated while_updated = WhileUpdated::kServe;
  // Set this if few pages of the file are in memory, because it is new to the machine or larger than its
  // memory. Batches then prefetch the pages of all their keys before they answer the first, so that the
  // disk reads many at a time. Only ribbons use it; other filters ignore it. If the pages are in memory, a
  // batch costs about two microseconds a key more.
  bool is_cold = false;
  // Opens a file that an interrupted update left dirty, so that its payload checksum proves nothing. The
  // keys of a counting filter can then never be removed; see CountingBloomFilter::open().
  bool accept_dirty = false;
  // The secret of a keyed filter; it must match. Filters that are not keyed ignore it.
  const HashSecret* secret = nullptr;
  // Opens a keyed filter without its secret, to inspect, merge or copy it. It cannot hash keys then.
  bool without_secret = false;
  // For windowed filters by age: the clock that they read. The filter copies it. Null means
  // read_machine_clock().
  const WindowClock* clock = nullptr;
  // For kUpdateInPlace, kMapLocked and kCopyLocked: the file's lock, which the caller already holds and
  // keeps.
  const FileLock* lock = nullptr;
};

// Says whether other threads may access the filter during a call.
enum class Sharing { kShared, kExclusive };

// The result of test_and_insert(). As a condition it is true if the key was certainly new, like an answer
// in a batch.
struct [[nodiscard]] TestedInsert {
  bool is_new = false;   // the key was certainly absent before
  bool refused = false;  // nothing has changed: the filter is full, lacks memory, or is static

  explicit operator bool() const { return is_new; }
};

struct SaveTo {
  bool replace = false;  // replaces an existing file, unless it has changed since it was read or saved
  // When this becomes true, the save stops and leaves no file.
  const std::atomic<bool>* cancelled = nullptr;
  // The lock of the existing file, if the caller acquired it before reading the data for the new file.
  // Without it the save acquires the lock itself. The save is refused if the name belongs to another file
  // by now.
  const FileLock* lock = nullptr;
};

}  // namespace bloomery
